/** Which addresses a message may go to: none that only a machine in the same network reaches. */

import { BlockList, isIP } from 'node:net';

/** Reserved by IANA for hosts, links, private networks, translation, documentation and groups. */
const V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
] as const;
/** Only what is given out to the world, without the ranges in it that lead to IPv4 or to nowhere. */
const V6_PUBLIC = '2000::/3';
const V6_RESERVED = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

/** Whether everybody reaches an address; false also for what is none. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !listOf(V4, 'ipv4').check(address, 'ipv4');
  if (family !== 6) return false;
  return listOf([V6_PUBLIC], 'ipv6').check(address, 'ipv6') && !listOf(V6_RESERVED, 'ipv6').check(address, 'ipv6');
}

function listOf(ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [net = '', bits] = range.split('/');
    list.addSubnet(net, Number(bits), family);
  }
  return list;
}
