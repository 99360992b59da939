// Test operations: what comes in goes out through the helpers of Protocol.cs.

using System;
using System.Collections.Generic;
using System.Text;
using static Protocol;

public static class Runner
{
    public static void Main(string[] arguments)
    {
        var operations = new Dictionary<string, Operation>
        {
            ["echo"] = Echo,
            ["number"] = NumberOf,
            ["text"] = TextOf,
            ["rewards"] = RewardsOf,
            ["content"] = ContentOf,
            ["put"] = Put,
            ["units"] = Units,
            ["not_finite"] = NotFinite,
            ["fail"] = FailAs,
            ["unsupported"] = NotSupported,
            ["unexpected"] = Unexpected,
            ["spec"] = SpecOf,
            ["stub"] = null,
            ["print"] = Print,
            ["leave"] = Leave,
        };
        bool strings = arguments.Length > 0 && arguments[0] == "--strings";
        Serve("echo", "1", operations, strings);
    }

    private static JsonObject Echo(JsonObject input) =>
        new JsonObject { { "value", input["value"] } };

    private static JsonObject NumberOf(JsonObject input)
    {
        object value = Number(input["value"]);
        return new JsonObject
        {
            { "kind", value is double ? "float" : "int" },
            { "value", value },
            { "spelled", Spelled(value) },
            { "double", ToDouble(value) },
        };
    }

    private static JsonObject TextOf(JsonObject input)
    {
        string value = AsString(input["value"]);
        var codePoints = new List<int>();
        for (int i = 0; i < value.Length; i += char.IsSurrogatePair(value, i) ? 2 : 1)
        {
            codePoints.Add(char.ConvertToUtf32(value, i));
        }
        return new JsonObject { { "code_points", codePoints }, { "marked", Text(value) } };
    }

    private static JsonObject RewardsOf(JsonObject input) =>
        new JsonObject { { "rewards", Rewards(input["rewards"]) } };

    private static JsonObject ContentOf(JsonObject input)
    {
        byte[] bytes = Bytes(input["file"]);
        var hex = new StringBuilder();
        foreach (byte one in bytes)
        {
            hex.Append(one.ToString("x2"));
        }
        JsonObject file = Content(bytes);
        Array.Reverse(bytes);
        return new JsonObject
        {
            { "hex", hex.ToString() },
            { "file", file },
            { "reversed", Content(bytes) },
        };
    }

    private static JsonObject Put(JsonObject input)
    {
        var members = new JsonObject();
        foreach (object item in AsList(input["pairs"]))
        {
            List<object> pair = AsList(item);
            members[AsString(pair[0])] = pair[1];
        }
        return new JsonObject { { "object", members } };
    }

    private static JsonObject Units(JsonObject input)
    {
        var text = new StringBuilder();
        foreach (object unit in AsList(input["units"]))
        {
            text.Append((char)ToDouble(Number(unit)));
        }
        string built = text.ToString();
        return new JsonObject { { "text", built }, { "object", new JsonObject { { built, 1 } } } };
    }

    private static JsonObject NotFinite(JsonObject input) => new JsonObject
    {
        { "nan", double.NaN },
        { "list", new[] { double.PositiveInfinity, double.NegativeInfinity } },
        { "zero", -0.0 },
    };

    private static JsonObject FailAs(JsonObject input) =>
        throw Fail(
            AsString(input["type"]),
            input.Has("message") ? AsString(input["message"]) : null);

    private static JsonObject NotSupported(JsonObject input) =>
        throw Unsupported(AsString(input["why"]));

    private static JsonObject Unexpected(JsonObject input) =>
        new JsonObject { { "value", new int[0][1] } };

    private static JsonObject SpecOf(JsonObject input) => new JsonObject { { "spec", Spec } };

    private static JsonObject Print(JsonObject input)
    {
        Console.Error.WriteLine("a line on standard error");
        Console.WriteLine("a line that is printed");
        return new JsonObject();
    }

    private static JsonObject Leave(JsonObject input)
    {
        Environment.Exit(3);
        return null;
    }
}
