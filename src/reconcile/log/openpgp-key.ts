/** Which key a signature of OpenPGP names: its id, or its fingerprint. Whether that key made it is not looked at. */

/** Subpackets of RFC 9580, 5.2.3: the id of the issuer, and its fingerprint. */
const ISSUER = 16;
const ISSUER_FINGERPRINT = 33;
const SIGNATURE_PACKET = 2;

/** Hex digits, in capitals as gpg prints them; undefined: the text names none, or is no signature. */
export function openPgpKey(armor: string): string | undefined {
  const [, body = ''] =
    /^-----BEGIN PGP SIGNATURE-----\n(?:[^\n]+\n)*\s*\n([A-Za-z0-9+/=\s]+?)(?:\n=[A-Za-z0-9+/]{4})?\s+-----END PGP SIGNATURE-----/.exec(
      armor.replaceAll('\r\n', '\n'),
    ) ?? [];
  const packet = packetIn(Buffer.from(body, 'base64'));
  if (packet === undefined || packet[0] !== 4 || packet.length < 8) return undefined;
  const hashed = packet.readUInt16BE(4);
  const rest = packet.subarray(6 + hashed);
  const unhashed = rest.length < 2 ? 0 : rest.readUInt16BE(0);
  const all = [...subpackets(packet.subarray(6, 6 + hashed)), ...subpackets(rest.subarray(2, 2 + unhashed))];
  const fingerprint = all.find(({ type }) => type === ISSUER_FINGERPRINT)?.body.subarray(1);
  const id = all.find(({ type, body: of }) => type === ISSUER && of.length === 8)?.body;
  return (fingerprint ?? id)?.toString('hex').toUpperCase();
}

/** The body of the first packet, where that is a signature. */
function packetIn(bytes: Buffer): Buffer | undefined {
  const [tag = 0, first = 0] = bytes;
  if ((tag & 0x80) === 0) return undefined;
  const isNew = (tag & 0x40) !== 0;
  const kind = isNew ? tag & 0x3f : (tag >> 2) & 0x0f;
  if (kind !== SIGNATURE_PACKET) return undefined;
  if (!isNew) {
    const width = [1, 2, 4][tag & 3];
    if (width === undefined || bytes.length < 1 + width) return undefined;
    return within(bytes, 1 + width, bytes.readUIntBE(1, width));
  }
  const { start, length } = lengthAt(bytes, 1, first);
  return within(bytes, start, length);
}

function within(bytes: Buffer, start: number, length: number): Buffer | undefined {
  return start + length > bytes.length ? undefined : bytes.subarray(start, start + length);
}

/** One, two or five bytes long; partial lengths are for data, and no signature has them. */
function lengthAt(bytes: Buffer, at: number, first: number): { readonly start: number; readonly length: number } {
  if (first < 192) return { start: at + 1, length: first };
  if (first < 255) return { start: at + 2, length: ((first - 192) << 8) + (bytes[at + 1] ?? 0) + 192 };
  return bytes.length < at + 5
    ? { start: at, length: bytes.length }
    : { start: at + 5, length: bytes.readUInt32BE(at + 1) };
}

type Subpacket = { readonly type: number; readonly body: Buffer };

function subpackets(bytes: Buffer): readonly Subpacket[] {
  const found: Subpacket[] = [];
  let at = 0;
  while (at < bytes.length) {
    const { start, length } = lengthAt(bytes, at, bytes[at] ?? 0);
    if (length < 1 || start + length > bytes.length) return found;
    found.push({ type: (bytes[start] ?? 0) & 0x7f, body: bytes.subarray(start + 1, start + length) });
    at = start + length;
  }
  return found;
}
