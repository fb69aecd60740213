// The shape of AMP's validator, with two rules: the format is AMP4ADS, and the document has no <img>.
var amp = {
  validator: {
    validateString(text, format) {
      const errors = [];
      if (format !== "AMP4ADS") errors.push({ code: "FORMAT", params: [format] });
      if (text.includes("<img")) errors.push({ code: "DISALLOWED_TAG", params: ["img"] });
      const found = errors.map((one) => ({ severity: "ERROR", line: 1, col: 0, specUrl: null, ...one }));
      return { status: errors.length ? "FAIL" : "PASS", errors: found };
    },
    renderErrorMessage(error) {
      return `${error.code} ${error.params.join()}`;
    },
  },
};
