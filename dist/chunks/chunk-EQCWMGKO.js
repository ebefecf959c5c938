#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{groupsCell,holdKind,printExpected,recordWritten,rungsText,secondText,stateCell}from"./chunk-EWJHCYYX.js";import{oneLine}from"./chunk-47ERCOTP.js";import{QUIET_REPORT}from"./chunk-KBJEG4HT.js";function passReport(result){if(result.quiet)return QUIET_REPORT;let blocks=result.outcomes.map(outcomeReport),issues=result.issues.map(issue=>`${issueLine(issue)}
`),warnings=result.warnings.map(warning=>`note: ${issueLine(warning)}
`),empty=blocks.length===0&&issues.length===0?[`no Rollout found. Add one (rollouts.kruise.io/v1beta1), or check paths in tranche.yaml.
`]:[];return[...blocks,...issues,...warnings,...empty].join("")}function outcomeReport(outcome){let{plan}=outcome,name=`${outcome.key.namespace}/${outcome.key.name}`,record=plan===void 0?void 0:recordWritten(plan),beside=record===void 0?void 0:secondText(record),lines=[record===void 0?name:[name,stateCell(record).replaceAll("*",""),groupsCell(record),beside??""].join("  ").trimEnd()],rungs=plan?.record.traffic?.shown?.rungs??[];if(rungs.length>0&&lines.push(`  rungs  ${rungsText(rungs,plan?.record.marks?.at)}`),plan?.commit!==void 0){let oid=outcome.written===void 0?"would commit":`commit ${outcome.written.slice(0,12)}`;lines.push(`  ${oid}  ${plan.commit.subject}`)}let holds=(plan?.holds??[]).filter(hold=>holdKind(hold.reason)?.failure!=="issue"||(plan?.issues??[]).length===0);for(let hold of holds)lines.push(`  waits  ${hold.reason}: ${hold.message}`);for(let issue of plan?.issues??[])lines.push(`  wrong  ${issueLine(issue)}`);for(let warning of plan?.warnings??[])lines.push(`  note   ${issueLine(warning)}`);record?.expected!==void 0&&lines.push(`  takes  ${printExpected(record.expected)}`);let fault=outcome.snapshot?.recordFault??"";return fault!==""&&lines.push(`  note   record rebuilt from the files: ${fault}`),outcome.error!==void 0&&lines.push(`  failed ${outcome.error}`),`${lines.join(`
`)}
`}function issueLine(issue){let place=issue.line>0?`${issue.file}:${issue.line}`:issue.file;return oneLine(`${place===""?"":`${place}: `}${issue.message} (${issue.reason}). ${issue.hint}`)}function planReport(outcome){let commit=commitReport(outcome);return commit===""?outcomeReport(outcome):`${outcomeReport(outcome)}
${commit}`}function commitReport({plan,diff}){return plan?.commit===void 0?"":`${plan.commit.message.trimEnd().split(`
`).map(line=>`    ${line}`.trimEnd()).join(`
`)}

${diff}`}export{passReport,issueLine,planReport,commitReport};
