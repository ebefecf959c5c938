#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-Z3JRPHJL.js";import"./chunk-Y2SJKTAW.js";import"./chunk-5XOPSGGL.js";import"./chunk-GS5NWBUT.js";export{ProxyError,agentFor};
