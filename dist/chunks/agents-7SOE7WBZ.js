#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-HRTVRAPM.js";import"./chunk-4IVZN6L4.js";import"./chunk-HBOMEYEX.js";export{ProxyError,agentFor};
