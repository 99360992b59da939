module my-runner.example

go 1.19
