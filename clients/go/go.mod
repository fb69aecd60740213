module placard.example/placard/clients/go

go 1.24
