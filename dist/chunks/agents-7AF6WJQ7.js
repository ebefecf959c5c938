#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{ProxyError,agentFor}from"./chunk-MFWDZQT2.js";import"./chunk-SZA6F4BS.js";import"./chunk-PVWQWLWI.js";import"./chunk-GS5NWBUT.js";export{ProxyError,agentFor};
