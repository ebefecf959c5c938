#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-PCQOCK6S.js";import"./chunk-2KWD3UKJ.js";import"./chunk-D2B4NGHL.js";import"./chunk-R4USRIUJ.js";import"./chunk-56DUMJJJ.js";export{ProxyError,agentFor};
