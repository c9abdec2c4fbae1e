// The common server on the official Go SDK: gosdk COMMON_JSON TRANSPORT [PORT]; ../../common.json.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"pi-mcp/servers/common"
)

type none struct{}
type request = mcp.CallToolRequest
type result = mcp.CallToolResult

func text(words string) *result {
	return &result{Content: []mcp.Content{&mcp.TextContent{Text: words}}}
}

// add declares a tool that takes a context, the request and arguments.
func add[In any](server *mcp.Server, name string, run func(context.Context, *request, In) (*result, error)) {
	tool := &mcp.Tool{Name: name, Description: "Does " + name + "."}
	mcp.AddTool(server, tool, func(ctx context.Context, req *request, in In) (*result, any, error) {
		answer, err := run(ctx, req, in)
		return answer, nil, err
	})
}

func answered(answer *mcp.ElicitResult) *result {
	return text(fmt.Sprintf("%s: %v, %v", answer.Action, answer.Content["name"], answer.Content["age"]))
}

func asking() *mcp.ElicitParams {
	schema, err := jsonschema.For[common.Person](nil)
	if err != nil {
		panic(err)
	}
	schema.AdditionalProperties = nil // which forms do not have
	return &mcp.ElicitParams{Message: common.Question, RequestedSchema: schema}
}

func addPlain(server *mcp.Server, picture []byte) {
	type named struct {
		Name string `json:"name" jsonschema:"whom to greet"`
	}
	hello := &mcp.Tool{
		Name: "hello", Title: "Say hello", Description: "Greets a person.",
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true},
	}
	mcp.AddTool(server, hello, func(_ context.Context, _ *request, in named) (*result, any, error) {
		return text("Hello, " + in.Name + "!"), nil, nil
	})
	type place struct {
		City string `json:"city"`
	}
	weather := &mcp.Tool{Name: "weather", Description: "Weather of a city."}
	mcp.AddTool(server, weather, func(_ context.Context, _ *request, in place) (*result, common.Weather, error) {
		return nil, common.WeatherOf(in.City), nil
	})
	add(server, "picture", func(context.Context, *request, none) (*result, error) {
		image := &mcp.ImageContent{Data: picture, MIMEType: "image/png"}
		return &result{Content: append(text("one point").Content, image)}, nil
	})
	add(server, "fail", func(context.Context, *request, none) (*result, error) {
		return nil, errors.New("the printer has no paper")
	})
	add(server, "wait", func(ctx context.Context, _ *request, _ none) (*result, error) {
		return nil, common.Wait(ctx)
	})
	add(server, "grow", func(context.Context, *request, none) (*result, error) {
		add(server, "grown", func(context.Context, *request, none) (*result, error) {
			return text("I am new"), nil
		})
		return text("grown"), nil
	})
}

func addAsking(server *mcp.Server) {
	type limit struct {
		To int `json:"to"`
	}
	add(server, "count", func(ctx context.Context, req *request, in limit) (*result, error) {
		for step := 1; step <= in.To; step++ {
			told := &mcp.ProgressNotificationParams{
				ProgressToken: req.Params.GetProgressToken(), Progress: float64(step),
				Total: float64(in.To), Message: fmt.Sprintf("step %d", step),
			}
			if err := req.Session.NotifyProgress(ctx, told); err != nil {
				return nil, err
			}
		}
		return text(fmt.Sprintf("counted to %d", in.To)), nil
	})
	add(server, "log", func(ctx context.Context, req *request, _ none) (*result, error) {
		one := &mcp.LoggingMessageParams{Level: "info", Data: "one"}
		two := &mcp.LoggingMessageParams{Level: "warning", Data: map[string]any{"two": 2, "is": "two"}}
		return text("logged"), errors.Join(req.Session.Log(ctx, one), req.Session.Log(ctx, two))
	})
	add(server, "ask", func(ctx context.Context, req *request, _ none) (*result, error) {
		answer, err := req.Session.Elicit(ctx, asking())
		if err != nil {
			return nil, err
		}
		return answered(answer), nil
	})
	add(server, "form", func(_ context.Context, req *request, _ none) (*result, error) {
		if answer, ok := req.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
			return answered(answer), nil
		}
		return &result{InputRequests: mcp.InputRequestMap{"who": asking()}}, nil
	})
	add(server, "think", func(ctx context.Context, req *request, _ none) (*result, error) {
		question := &mcp.SamplingMessage{
			Role: "user", Content: &mcp.TextContent{Text: "What is six times seven?"},
		}
		params := &mcp.CreateMessageParams{MaxTokens: 50, Messages: []*mcp.SamplingMessage{question}}
		answer, err := req.Session.CreateMessage(ctx, params)
		if err != nil {
			return nil, err
		}
		return text("it thinks: " + answer.Content.(*mcp.TextContent).Text), nil
	})
	add(server, "roots", func(ctx context.Context, req *request, _ none) (*result, error) {
		listed, err := req.Session.ListRoots(ctx, nil)
		if err != nil {
			return nil, err
		}
		var uris []string
		for _, root := range listed.Roots {
			uris = append(uris, root.URI)
		}
		return text(strings.Join(uris, ",")), nil
	})
}

func main() {
	transport := os.Args[2]
	server := mcp.NewServer(&mcp.Implementation{Name: "common", Version: "1.0.0"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}},
	})
	addPlain(server, common.Picture(os.Args[1]))
	addAsking(server)
	same := func(*http.Request) *mcp.Server { return server }
	switch transport {
	case "stdio":
		log.Fatal(server.Run(context.Background(), &mcp.StdioTransport{}))
	case "sse":
		log.Fatal(common.Serve(os.Args[3], mcp.NewSSEHandler(same, nil)))
	default:
		options := &mcp.StreamableHTTPOptions{Stateless: transport == "stateless"}
		log.Fatal(common.Serve(os.Args[3], mcp.NewStreamableHTTPHandler(same, options)))
	}
}
