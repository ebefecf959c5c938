#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-56UZDPDX.js";import"./chunk-ZXQEIZHV.js";import"./chunk-CAALT5DQ.js";import"./chunk-WT4ZC5RS.js";export{ProxyError,agentFor};
