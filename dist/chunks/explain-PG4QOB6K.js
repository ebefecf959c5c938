#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{explain}from"./chunk-7DGWZT5L.js";import"./chunk-KGAUKJPK.js";import"./chunk-L2EBYE34.js";export{explain};
