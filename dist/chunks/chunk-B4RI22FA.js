#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{CommanderError}from"./chunk-GOM3NOSU.js";import{EXIT,PortError,UsageError,explain}from"./chunk-R4USRIUJ.js";async function exitCodeOf(error,io){return error instanceof CommanderError?error.exitCode===0?EXIT.ok:EXIT.usage:error instanceof UsageError?(io.err(`error: ${error.message}
`),EXIT.usage):error instanceof Error&&error.name==="ConfigError"?(io.err(`${error.message}
`),EXIT.usage):(io.err(`error: ${explain(error)}
`),error instanceof PortError&&!error.retryable?EXIT.usage:EXIT.failed)}export{exitCodeOf};
