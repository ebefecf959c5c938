#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{printable,printableLine}from"./chunk-RAQJSSET.js";import{randomUUID}from"node:crypto";import{appendFile}from"node:fs/promises";var SUMMARY_BYTES_MAX=1e6;function maskLines(secret){return secret.split(/[\r\n]+/).filter(line=>line!=="").map(line=>`::add-mask::${line.replaceAll("%","%25")}
`).join("")}function annotation(level,issue){let properties=[...issue.file===""?[]:[`file=${escapeProperty(issue.file)}`],...issue.line>0?[`line=${issue.line}`]:[],`title=${escapeProperty(issue.reason)}`];return`::${level} ${properties.join(",")}::${escapeData(issue.hint===""?issue.message:`${issue.message}. ${issue.hint}`)}
`}function errorLine(title,message){return`::error title=${escapeProperty(title)}::${escapeData(message)}
`}function warningLine(title,message){return`::warning title=${escapeProperty(title)}::${escapeData(message)}
`}function folded(title,text){let body=printable(text);return`::group::${escapeData(title)}
${body}${body.endsWith(`
`)?"":`
`}::endgroup::
`}async function writeOutputs(path,values){if(path===void 0||path==="")return;let blocks=Object.entries(values).map(([name,value])=>{let delimiter=`tranche_${randomUUID()}`;return`${name}<<${delimiter}
${value}
${delimiter}
`});await appendFile(path,blocks.join(""))}async function writeSummary(path,markdown){if(path===void 0||path==="")return;let bytes=Buffer.from(markdown),note=`

Cut: the whole text is in the log of the step.
`;await appendFile(path,bytes.length<=SUMMARY_BYTES_MAX?markdown:`${cutToLine(bytes.subarray(0,SUMMARY_BYTES_MAX-note.length-FENCE_MAX).toString("utf8"))}${note}`)}var FENCE_MAX=100,LONG_RUN=new RegExp(`\`{${FENCE_MAX},}`,"g");function fenced(text,language){let body=text.trimEnd().replace(LONG_RUN,"`".repeat(FENCE_MAX-1)),longest=Math.max(2,...[...body.matchAll(/`+/g)].map(([run])=>run.length)),fence="`".repeat(longest+1);return`${fence}${language}
${body}
${fence}
`}function cutToLine(text){let whole=text.slice(0,text.lastIndexOf(`
`)+1),open="";for(let[,fence=""]of whole.matchAll(/^(`{3,})/gm))open=open===""?fence:fence===open?"":open;return`${whole}${open}`}function escapeData(text){return printableLine(text).replaceAll("%","%25")}function escapeProperty(text){return escapeData(text).replaceAll(":","%3A").replaceAll(",","%2C")}export{maskLines,annotation,errorLine,warningLine,folded,writeOutputs,writeSummary,fenced};
