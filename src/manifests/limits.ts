/** How much of a user's file is read before it is refused: every number has a name, a unit and a reason. */

/** Characters in one file. Kubernetes objects end at 1.5 MiB in etcd; a file above this is generated or hostile. */
export const MAX_FILE_CHARACTERS = 1024 * 1024;

/** Characters in one document that is interpreted. The largest LeaderWorkerSet seen in the wild is below 40 KiB. */
export const MAX_DOCUMENT_CHARACTERS = 256 * 1024;

/** Documents of one file that are interpreted; documents of other kinds do not count. */
export const MAX_DOCUMENTS = 64;

/** Maps and lists inside one another. */
export const MAX_DEPTH = 64;

/** Nodes of one document, counted again wherever an alias repeats them: this is what stops alias bombs. */
export const MAX_NODES = 20_000;

/** Tokens of one document. 20,000 nodes need less; text made to be slow has one token for each character or two. */
export const MAX_TOKENS = 100_000;

/**
 * Tokens and values of all documents of one file that are interpreted, with those that are of no interest after all. A reader takes
 * some three microseconds for each.
 */
export const MAX_FILE_WORK = 300_000;

/** What one document counts for before its first token: it is cut out, and a reader is made for it. */
export const DOCUMENT_WORK = 10;

/** Characters of documents whose reading is remembered next to the files at hand. A tree takes some forty times its text. */
export const MAX_KNOWN_CHARACTERS = 256 * 1024;

/** Syntax errors reported for one document; the first is nearly always the cause of the rest. */
export const MAX_SYNTAX_ISSUES = 3;

/** Edits of one object in one step; a step writes fewer than ten fields. */
export const MAX_EDITS = 64;

/** Items of a list that still gets one more. Gateway API allows 16 backendRefs; the longest lists of pods have dozens. */
export const MAX_LIST_ITEMS = 256;

/** Files that one kustomize folder may be built from. The largest tree of llm-d has some forty. */
export const MAX_CLOSURE_FILES = 1_000;

/** Bytes of one name on a path: no file system takes a longer one, though Git does. */
export const MAX_NAME_BYTES = 255;

/** Bytes of a path from the root of the repository. Linux takes 4,096 with the folder that the repository lies in. */
export const MAX_PATH_BYTES = 2_048;

/** Folders and lists that lead to one another, from the one that is built. People write three or four. */
export const MAX_CLOSURE_LEVELS = 32;

/** Characters of all of them together: they are kept in memory, and written to a folder for the build. */
export const MAX_CLOSURE_CHARACTERS = 16 * 1024 * 1024;
