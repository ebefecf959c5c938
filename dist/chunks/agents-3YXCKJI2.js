#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-H5UNBHXE.js";import"./chunk-AG5HIZ3K.js";import"./chunk-CCUQJGZX.js";export{ProxyError,agentFor};
