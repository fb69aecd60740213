/** What each element on the page came to, on the page: loaded with `?service_ad_debug=1` alone. */
/** Nothing of the reader is shown, and of a key no more than its kind and end. */
export declare function overlay(): void;
