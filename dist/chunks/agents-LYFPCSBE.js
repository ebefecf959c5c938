#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-UIIORKHN.js";import"./chunk-7G5UOGPD.js";import"./chunk-KBJEG4HT.js";import"./chunk-YPCVC7PK.js";import"./chunk-56DUMJJJ.js";export{ProxyError,agentFor};
