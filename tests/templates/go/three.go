// Three operations of harbor, as an author writes them.
package main

import (
	"math"
	"strconv"
)

func evalsKey(input *Object) (*Object, error) {
	key := input.Text("agent")
	if model := input.TextOr("model", ""); model != "" {
		key += "__" + model
	}
	dataset := input.TextOr("source", "")
	if dataset == "" {
		dataset = "adhoc"
	}
	return NewObject().With("evals_key", key+"__"+dataset), nil
}

func terminalBenchReward(input *Object) (*Object, error) {
	reward := "0\n"
	if input.Int("exit_code") == 0 {
		reward = "1\n"
	}
	return NewObject().With("reward.txt", Content([]byte(reward))), nil
}

// succeeded tells whether an attempt succeeded, and whether its rewards leave the group eligible.
func succeeded(recorded any) (success, eligible bool) {
	if recorded == nil {
		return false, true
	}
	rewards := Rewards(recorded)
	if rewards.Len() != 1 {
		return false, false
	}
	value, err := ToDouble(rewards.Get(rewards.Keys()[0]))
	return value == 1, err == nil && (value == 0 || value == 1)
}

// estimate is the chance that one of k attempts is among the c successes of n.
func estimate(n, c, k int) float64 {
	if n-c < k {
		return 1
	}
	product := 1.0
	for i := 0; i < k; i++ {
		product *= float64(n-c-i) / float64(n-i)
	}
	return 1 - product
}

// sum adds floats as CPython 3.12 does: what each addition loses is added at the end.
func sum(values []float64) float64 {
	total, lost := 0.0, 0.0
	for _, value := range values {
		next := total + value
		if math.Abs(total) >= math.Abs(value) {
			lost += (total - next) + value
		} else {
			lost += (value - next) + total
		}
		total = next
	}
	return total + lost
}

func passAtK(input *Object) (*Object, error) {
	type task struct{ attempts, successes int }
	var tasks []*task
	named := map[string]*task{}
	for _, item := range input.List("trials") {
		trial := AsObject(item)
		success, eligible := succeeded(trial.Member("rewards"))
		if !eligible {
			return NewObject(), nil
		}
		name := trial.Text("task")
		if named[name] == nil {
			named[name] = &task{}
			tasks = append(tasks, named[name])
		}
		named[name].attempts++
		if success {
			named[name].successes++
		}
	}
	answer := NewObject()
	if len(tasks) == 0 {
		return answer, nil
	}
	least := math.MaxInt
	for _, task := range tasks {
		if task.attempts < least {
			least = task.attempts
		}
	}
	for k := 2; k <= least; k++ {
		if k%5 != 0 && k&(k-1) != 0 {
			continue
		}
		estimates := make([]float64, len(tasks))
		for i, task := range tasks {
			estimates[i] = estimate(task.attempts, task.successes, k)
		}
		answer.Put(strconv.Itoa(k), sum(estimates)/float64(len(tasks)))
	}
	return answer, nil
}

func main() {
	Serve("three", "1", []Op{
		{"evals_key", evalsKey},
		{"terminal_bench_reward", terminalBenchReward},
		{"pass_at_k", passAtK},
	})
}
