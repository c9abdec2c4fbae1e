// The client of the official Go SDK for the jobs of ../../common.json, as that says:
// gosdk_client COMMON_JSON ERA TRANSPORT TARGET...
package main

import (
	"context"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pi-mcp/servers/common"
)

// With the handshake it asks for this revision, else for the newest that it knows.
const newestWithHandshake = "2025-11-25"

func newClient(jobs *common.Jobs) *mcp.Client {
	elicited := func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		jobs.Asked("elicitation/create", req.Params)
		answer := &mcp.ElicitResult{}
		common.Unmarshal(jobs.Answers.Elicitation, answer)
		return answer, nil
	}
	sampled := func(
		_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
		jobs.Asked("sampling/createMessage", req.Params)
		answer := &mcp.CreateMessageResult{}
		common.Unmarshal(jobs.Answers.Sampling, answer)
		return answer, nil
	}
	info := &mcp.Implementation{Name: "common", Version: "1.0.0"}
	client := mcp.NewClient(info, &mcp.ClientOptions{
		ElicitationHandler:   elicited,
		CreateMessageHandler: sampled,
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			jobs.Logged(req.Params)
		},
		ProgressNotificationHandler: func(
			_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			jobs.Progressed(req.Params)
		},
	})
	var roots []*mcp.Root
	common.Unmarshal(jobs.Answers.Roots, &roots)
	client.AddRoots(roots...)
	return client
}

func link(transport string, target []string) mcp.Transport {
	switch transport {
	case "stdio":
		command := exec.Command(target[0], target[1:]...)
		command.Stderr = os.Stderr
		return &mcp.CommandTransport{Command: command}
	case "sse":
		return &mcp.SSEClientTransport{Endpoint: target[0]}
	default:
		return &mcp.StreamableClientTransport{Endpoint: target[0]}
	}
}

func main() {
	jobs, legacy := common.ReadJobs(os.Args[1]), os.Args[2] == "legacy"
	ctx := context.Background()
	options := &mcp.ClientSessionOptions{}
	if legacy {
		options.ProtocolVersion = newestWithHandshake
	}
	session, err := newClient(jobs).Connect(ctx, link(os.Args[3], os.Args[4:]), options)
	if err != nil {
		log.Fatal(err)
	}
	if legacy {
		err = session.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"})
		if err != nil {
			log.Fatal(err)
		}
	}
	tools := []*mcp.Tool{}
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		tools = append(tools, tool)
	}
	jobs.Run(tools, func(
		ctx context.Context, name string, args map[string]any, token string) (any, error) {
		params := &mcp.CallToolParams{Name: name, Arguments: args, Meta: mcp.Meta{}}
		params.SetProgressToken(token)
		if !legacy {
			params.Meta[mcp.MetaKeyLogLevel] = "info"
		}
		return session.CallTool(ctx, params)
	})
	_ = session.Close()
}
