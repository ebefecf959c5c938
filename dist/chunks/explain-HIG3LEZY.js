#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{explain}from"./chunk-ZXQEIZHV.js";import"./chunk-CAALT5DQ.js";import"./chunk-WT4ZC5RS.js";export{explain};
