#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
var ACTING=/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;function printable(text){return text.replace(ACTING," ").replace(/^([^\S\n]*):(?=:)/gm,"$1:\u200B").replace(/##(?=\[|vso\[)/g,"##\u200B")}function printableLine(text){return printable(text.replace(/[\n\t]+/g," ")).trim()}function oneLine(text){return text.replaceAll("\r","\\r").replaceAll(`
`,"\\n").replaceAll("	","\\t")}var ACTING_IN_JSON=/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]|#(?=\[|vso\[)/g;function jsonText(value){return`${(JSON.stringify(value,void 0,2)??"null").replace(ACTING_IN_JSON,char=>`\\u${char.charCodeAt(0).toString(16).padStart(4,"0")}`)}
`}export{printable,printableLine,oneLine,jsonText};
