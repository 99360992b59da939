// Answers that are none, and exceptions of an author's own.

using System;
using System.Collections.Generic;
using static Protocol;

public static class Runner
{
    private sealed class MyError : Exception
    {
        public MyError()
            : base("mine")
        {
        }
    }

    public static void Main()
    {
        Serve("odd", "1", new Dictionary<string, Operation>
        {
            { "object_itself", ObjectItself },
            { "list_itself", ListItself },
            { "own", input => throw new MyError() },
        });
    }

    private static JsonObject ObjectItself(JsonObject input)
    {
        var me = new JsonObject { { "first", null } };
        me["me"] = me;
        return me;
    }

    private static JsonObject ListItself(JsonObject input)
    {
        var list = new List<object> { new List<object>() };
        list.Add(list);
        return new JsonObject { { "list", list } };
    }
}
