package common

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const callSeconds = 60
const lateSeconds = 2 // for notifications that come behind the result

type job struct {
	Tool    string
	Args    map[string]any
	Through bool
	Expect  struct{ Progress, Logs []any }
}

// record is what came in during one job, as the SDK writes it.
type record struct {
	Result   json.RawMessage   `json:"result,omitempty"`
	Error    string            `json:"error,omitempty"`
	Progress []json.RawMessage `json:"progress"`
	Logs     []json.RawMessage `json:"logs"`
	Asked    []json.RawMessage `json:"asked"`
}

// Jobs are what a client does; its handlers tell what comes in meanwhile.
type Jobs struct {
	Answers struct{ Elicitation, Sampling, Roots json.RawMessage }
	Jobs    []job
	mutex   sync.Mutex
	record  *record
	came    chan struct{} // has one when something came in
}

func ReadJobs(file string) *Jobs {
	jobs := &Jobs{came: make(chan struct{}, 1)}
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	Unmarshal(text, jobs)
	return jobs
}

func marshal(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

func Unmarshal(text []byte, value any) {
	if err := json.Unmarshal(text, value); err != nil {
		panic(err)
	}
}

func (jobs *Jobs) add(to func(*record) *[]json.RawMessage, what any) {
	text := marshal(what)
	jobs.mutex.Lock()
	defer jobs.mutex.Unlock()
	if jobs.record == nil { // before the first job
		return
	}
	list := to(jobs.record)
	*list = append(*list, text)
	select {
	case jobs.came <- struct{}{}:
	default:
	}
}

func (jobs *Jobs) Progressed(params any) {
	jobs.add(func(record *record) *[]json.RawMessage { return &record.Progress }, params)
}

func (jobs *Jobs) Logged(params any) {
	jobs.add(func(record *record) *[]json.RawMessage { return &record.Logs }, params)
}

func (jobs *Jobs) Asked(method string, params any) {
	what := map[string]any{"method": method, "params": params}
	jobs.add(func(record *record) *[]json.RawMessage { return &record.Asked }, what)
}

func (jobs *Jobs) complete(job job) bool {
	jobs.mutex.Lock()
	defer jobs.mutex.Unlock()
	enough := len(jobs.record.Progress) >= len(job.Expect.Progress)
	return enough && len(jobs.record.Logs) >= len(job.Expect.Logs)
}

// Call calls a tool with a progress token.
type Call func(ctx context.Context, name string, args map[string]any, token string) (any, error)

func (jobs *Jobs) run(job job, call Call) record {
	jobs.mutex.Lock()
	none := []json.RawMessage{}
	jobs.record = &record{Progress: none, Logs: none, Asked: none}
	jobs.mutex.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), callSeconds*time.Second)
	defer cancel()
	result, err := call(ctx, job.Tool, job.Args, "of "+job.Tool)
	late := time.After(lateSeconds * time.Second)
	for waiting := true; waiting && !jobs.complete(job); {
		select {
		case <-jobs.came:
		case <-late:
			waiting = false
		}
	}
	jobs.mutex.Lock()
	defer jobs.mutex.Unlock()
	if err != nil {
		jobs.record.Error = err.Error()
	} else {
		jobs.record.Result = marshal(result)
	}
	return *jobs.record
}

// Run prints what all jobs gave, and the tools that were listed before them.
func (jobs *Jobs) Run(tools any, call Call) {
	skipped := strings.Split(os.Getenv("SKIP"), ",")
	done := map[string]record{}
	for _, job := range jobs.Jobs {
		if !job.Through && !slices.Contains(skipped, job.Tool) {
			done[job.Tool] = jobs.run(job, call)
		}
	}
	_, _ = os.Stdout.Write(marshal(map[string]any{"tools": tools, "jobs": done}))
}
