module my-runner

go 1.19
