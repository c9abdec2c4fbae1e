// The common server on mcp-go: mcpgo COMMON_JSON TRANSPORT [PORT]; ../../common.json.
package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"pi-mcp/servers/common"
)

type request = mcp.CallToolRequest
type result = mcp.CallToolResult

func answered(answer mcp.ElicitationResponse) *result {
	content, _ := answer.Content.(map[string]any)
	words := fmt.Sprintf("%s: %v, %v", answer.Action, content["name"], content["age"])
	return mcp.NewToolResultText(words)
}

var asking = mcp.ElicitationParams{
	Mode: mcp.ElicitationModeForm, Message: common.Question,
	RequestedSchema: map[string]any{
		"type": "object",
		"properties": map[string]any{
			"name": map[string]any{"type": "string", "title": "Name"},
			"age":  map[string]any{"type": "integer", "minimum": 0},
		},
		"required": []string{"name", "age"},
	},
}

type run = func(context.Context, request) (*result, error)

func addPlain(srv *server.MCPServer, picture []byte) {
	add := func(name string, run run, options ...mcp.ToolOption) {
		options = append(options, mcp.WithDescription("Does "+name+"."))
		srv.AddTool(mcp.NewTool(name, options...), run)
	}
	add("hello", func(_ context.Context, req request) (*result, error) {
		return mcp.NewToolResultText("Hello, " + req.GetString("name", "") + "!"), nil
	}, mcp.WithTitleAnnotation("Say hello"), mcp.WithReadOnlyHintAnnotation(true),
		mcp.WithString("name", mcp.Required(), mcp.Description("whom to greet")))
	add("weather", func(_ context.Context, req request) (*result, error) {
		weather := common.WeatherOf(req.GetString("city", ""))
		return mcp.NewToolResultStructuredOnly(weather), nil
	}, mcp.WithString("city", mcp.Required()), mcp.WithOutputSchema[common.Weather]())
	add("picture", func(context.Context, request) (*result, error) {
		data := base64.StdEncoding.EncodeToString(picture)
		return mcp.NewToolResultImage("one point", data, "image/png"), nil
	})
	add("fail", func(context.Context, request) (*result, error) {
		return mcp.NewToolResultError("the printer has no paper"), nil
	})
	add("wait", func(ctx context.Context, _ request) (*result, error) {
		return nil, common.Wait(ctx)
	})
	add("grow", func(context.Context, request) (*result, error) {
		add("grown", func(context.Context, request) (*result, error) {
			return mcp.NewToolResultText("I am new"), nil
		})
		return mcp.NewToolResultText("grown"), nil
	})
}

// work takes a while, as that of real tools does: results and notifications come from different
// goroutines of mcp-go, in no order of their own.
func work() { time.Sleep(50 * time.Millisecond) }

func count(srv *server.MCPServer) run {
	return func(ctx context.Context, req request) (*result, error) {
		to := req.GetInt("to", 0)
		for step := 1; step <= to; step++ {
			told := map[string]any{
				"progressToken": req.Params.Meta.ProgressToken, "progress": step, "total": to,
				"message": fmt.Sprintf("step %d", step),
			}
			if err := srv.SendNotificationToClient(ctx, "notifications/progress", told); err != nil {
				return nil, err
			}
			work()
		}
		return mcp.NewToolResultText(fmt.Sprintf("counted to %d", to)), nil
	}
}

func addAsking(srv *server.MCPServer) {
	add := func(name string, run run) {
		srv.AddTool(mcp.NewTool(name, mcp.WithDescription("Does "+name+".")), run)
	}
	to := mcp.WithNumber("to", mcp.Required())
	srv.AddTool(mcp.NewTool("count", mcp.WithDescription("Counts."), to), count(srv))
	add("log", func(ctx context.Context, _ request) (*result, error) {
		one := mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "", "one")
		two := mcp.NewLoggingMessageNotification(mcp.LoggingLevelWarning, "", map[string]any{"two": "two"})
		err := srv.SendLogMessageToClient(ctx, one)
		work()
		err = errors.Join(err, srv.SendLogMessageToClient(ctx, two))
		work()
		return mcp.NewToolResultText("logged"), err
	})
	add("ask", func(ctx context.Context, _ request) (*result, error) {
		answer, err := srv.RequestElicitation(ctx, mcp.ElicitationRequest{Params: asking})
		if err != nil {
			return nil, err
		}
		return answered(answer.ElicitationResponse), nil
	})
	add("form", func(_ context.Context, req request) (*result, error) {
		if answer := server.ElicitationResponse(req.Params.InputResponses, "who"); answer != nil {
			return answered(answer.ElicitationResponse), nil
		}
		return server.NewInputRequestBuilder("").Elicit("who", asking).ToolResult(), nil
	})
	add("think", func(ctx context.Context, _ request) (*result, error) {
		question := mcp.NewTextContent("What is six times seven?")
		params := mcp.CreateMessageParams{
			MaxTokens: 50,
			Messages:  []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: question}},
		}
		answer, err := srv.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: params})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText("it thinks: " + mcp.GetTextFromContent(answer.Content)), nil
	})
	add("roots", func(ctx context.Context, _ request) (*result, error) {
		listed, err := srv.RequestRoots(ctx, mcp.ListRootsRequest{})
		if err != nil {
			return nil, err
		}
		var uris []string
		for _, root := range listed.Roots {
			uris = append(uris, root.URI)
		}
		return mcp.NewToolResultText(strings.Join(uris, ",")), nil
	})
}

func main() {
	transport := os.Args[2]
	srv := server.NewMCPServer("common", "1.0.0", server.WithToolCapabilities(true),
		server.WithLogging(), server.WithElicitation(), server.WithRoots())
	srv.EnableSampling()
	addPlain(srv, common.Picture(os.Args[1]))
	addAsking(srv)
	switch transport {
	case "stdio":
		log.Fatal(server.ServeStdio(srv))
	case "sse":
		log.Fatal(common.Serve(os.Args[3], server.NewSSEServer(srv)))
	default:
		stateless := server.WithStateLess(transport == "stateless")
		log.Fatal(common.Serve(os.Args[3], server.NewStreamableHTTPServer(srv, stateless)))
	}
}
