// The client of mcp-go for the jobs of ../../common.json, as that says:
// mcpgo_client COMMON_JSON ERA TRANSPORT TARGET...
package main

import (
	"context"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"pi-mcp/servers/common"
)

// answers are the handlers of all that a server may ask.
type answers struct{ *common.Jobs }

func (answers answers) Elicit(
	_ context.Context, req mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	answers.Asked("elicitation/create", req.Params)
	answer := &mcp.ElicitationResult{}
	common.Unmarshal(answers.Answers.Elicitation, &answer.ElicitationResponse)
	return answer, nil
}

func (answers answers) CreateMessage(
	_ context.Context, req mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	answers.Asked("sampling/createMessage", req.CreateMessageParams)
	answer := &mcp.CreateMessageResult{}
	common.Unmarshal(answers.Answers.Sampling, answer)
	return answer, nil
}

func (answers answers) ListRoots(
	context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	answer := &mcp.ListRootsResult{}
	common.Unmarshal(answers.Answers.Roots, &answer.Roots)
	return answer, nil
}

func link(kind string, target []string) (transport.Interface, error) {
	switch kind {
	case "stdio":
		return transport.NewStdioWithOptions(target[0], os.Environ(), target[1:],
			transport.WithCommandStderrWriter(os.Stderr)), nil
	case "sse":
		return transport.NewSSE(target[0])
	case "stateless":
		return transport.NewStreamableHTTP(target[0])
	default: // its server asks on the session's own stream only
		return transport.NewStreamableHTTP(target[0], transport.WithContinuousListening())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func newClient(jobs *common.Jobs, legacy bool, link transport.Interface) *client.Client {
	asked := answers{jobs}
	options := []client.ClientOption{
		client.WithElicitationHandler(asked), client.WithSamplingHandler(asked),
		client.WithRootsHandler(asked),
	}
	if legacy {
		options = append(options, client.WithProtocolVersion(mcp.LATEST_LEGACY_PROTOCOL_VERSION))
	}
	made := client.NewClient(link, options...)
	made.OnNotification(func(told mcp.JSONRPCNotification) {
		switch told.Method {
		case "notifications/progress":
			jobs.Progressed(told.Params)
		case "notifications/message":
			jobs.Logged(told.Params)
		}
	})
	return made
}

func main() {
	jobs := common.ReadJobs(os.Args[1])
	ctx := context.Background()
	transport, err := link(os.Args[3], os.Args[4:])
	check(err)
	client := newClient(jobs, os.Args[2] == "legacy", transport)
	check(client.Start(ctx))
	info := mcp.Implementation{Name: "common", Version: "1.0.0"}
	hello := mcp.InitializeRequest{Params: mcp.InitializeParams{ClientInfo: info}}
	_, err = client.Initialize(ctx, hello)
	check(err)
	level := mcp.SetLevelParams{Level: mcp.LoggingLevelInfo} // in each call from 2026-07-28 on
	check(client.SetLevel(ctx, mcp.SetLevelRequest{Params: level}))
	listed, err := client.ListTools(ctx, mcp.ListToolsRequest{})
	check(err)
	jobs.Run(listed.Tools, func(
		ctx context.Context, name string, args map[string]any, token string) (any, error) {
		meta := &mcp.Meta{ProgressToken: token}
		params := mcp.CallToolParams{Name: name, Arguments: args, Meta: meta}
		return client.CallTool(ctx, mcp.CallToolRequest{Params: params})
	})
	_ = client.Close()
}
