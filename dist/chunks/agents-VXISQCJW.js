#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-4WCFVNVH.js";import"./chunk-FKRFH4CI.js";import"./chunk-RAQJSSET.js";export{ProxyError,agentFor};
