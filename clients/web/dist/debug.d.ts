/** Shows the result of each element on the page. Loaded only with `?service_ad_debug=1`. */
/** Shows nothing about the reader, and only the kind and the last characters of a key. */
export declare function overlay(): void;
