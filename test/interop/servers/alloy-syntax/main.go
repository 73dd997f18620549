// Whether files are Grafana Alloy's syntax, by its own parser: all of Alloy takes half an hour to build. What its components take it does not know.
package main

import (
	"fmt"
	"os"

	"github.com/grafana/alloy/syntax/parser"
)

func main() {
	for _, file := range os.Args[1:] {
		bytes, err := os.ReadFile(file)
		if err == nil {
			_, err = parser.ParseFile(file, bytes)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
