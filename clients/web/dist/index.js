import{a,b,d as c,e as d}from"./shared.js";export{a as VERSION,b as initialize,c as serve,d as track};
