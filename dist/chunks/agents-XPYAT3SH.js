#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-N3D5U7KB.js";import"./chunk-VZMPN6EI.js";import"./chunk-TR7YC63B.js";import"./chunk-YPCVC7PK.js";import"./chunk-56DUMJJJ.js";export{ProxyError,agentFor};
