#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-OVPQTU4V.js";import"./chunk-5ZQBBOHL.js";import"./chunk-Y6H7DQVI.js";import"./chunk-WT4ZC5RS.js";export{ProxyError,agentFor};
