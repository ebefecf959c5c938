#!/usr/bin/env node
import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);
import{explain}from"./chunk-5ZQBBOHL.js";import"./chunk-Y6H7DQVI.js";import"./chunk-WT4ZC5RS.js";export{explain};
