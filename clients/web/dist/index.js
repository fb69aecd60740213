import{a,c as b,e as c,f as d}from"./shared.js";export{a as VERSION,b as initialize,c as serve,d as track};
