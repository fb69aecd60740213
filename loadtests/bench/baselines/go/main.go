// The baseline in Go: net/http answering constant bytes. Run as `main PORT BODY_BYTES`, with GOMAXPROCS=1.
package main

import (
	"bytes"
	"log"
	"net/http"
	"os"
	"strconv"
)

func main() {
	size, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	body, length := bytes.Repeat([]byte("x"), size), strconv.Itoa(size)
	http.HandleFunc("/v1/serve", func(w http.ResponseWriter, _ *http.Request) {
		head := w.Header()
		head.Set("Content-Type", "application/json")
		head.Set("Content-Length", length)
		w.Write(body)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
