// The runner protocol of harbor-conformance, version 1. You never edit this file.
//
// Values are null, bool, BigInteger (an int of any size), double, string, List<object> and
// JsonObject, which keeps the order of its members. Answers may also contain int, long and any
// other sequence. "using static Protocol;" makes these names available:
//
//   Serve     answers requests until standard input ends
//   Spec      the spec that hello named
//   Number    an int or a float; also reads strings that spell numbers, such as "NaN"
//   ToDouble  a number as a double, or OverflowError
//   Rewards   null, or keys with their numbers
//   AsInt, AsObject, AsList, AsString, AsBool   a value of that kind, or TypeError
//   Bytes, Content   the bytes of a file's content, and the content of bytes
//   Spell     a double as Python spells it
//   Spelled   a number as a string that spells it
//   Text      marks a string where a number is expected, so that it equals none
//   Fail, Unsupported   what to throw instead of an answer
//
// What operations print with Console goes to standard error. Give child processes their own streams
// (RedirectStandardOutput): otherwise they inherit standard output and write among the replies.

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Numerics;
using System.Text;

/// <summary>Takes the input of a request and returns the members of "ok".</summary>
public delegate JsonObject Operation(JsonObject input);

/// <summary>An object that keeps the order of its members.</summary>
public sealed class JsonObject : IEnumerable<KeyValuePair<string, object>>
{
    private readonly List<string> keys = new List<string>();
    private readonly Dictionary<string, object> values = new Dictionary<string, object>();

    public int Count => keys.Count;

    public IReadOnlyList<string> Keys => keys;

    /// <summary>The value of a key; TypeError if there is no such member.</summary>
    public object this[string key]
    {
        get => Has(key)
            ? values[key]
            : throw Protocol.Fail("TypeError", "a member is missing here: " + key);
        set
        {
            if (!values.ContainsKey(key))
            {
                keys.Add(key);
            }
            values[key] = value;
        }
    }

    public bool Has(string key) => values.ContainsKey(key);

    /// <summary>The value of a key; null if there is no such member.</summary>
    public object Find(string key) => Has(key) ? values[key] : null;

    /// <summary>For initializers: new JsonObject { { "mean", 0.5 } }.</summary>
    public void Add(string key, object value) => this[key] = value;

    public IEnumerator<KeyValuePair<string, object>> GetEnumerator()
    {
        foreach (string key in keys)
        {
            yield return new KeyValuePair<string, object>(key, values[key]);
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}

/// <summary>A reply that is an error.</summary>
public sealed class Failure : Exception
{
    public Failure(string type, string message)
        : base(message ?? "")
    {
        Type = type;
        Sentence = message;
    }

    public string Type { get; }

    /// <summary>The message, or null.</summary>
    public string Sentence { get; }
}

/// <summary>A reply that says why there is no answer.</summary>
public sealed class UnsupportedAnswer : Exception
{
    public UnsupportedAnswer(string why)
        : base(why)
    {
    }
}

public static class Protocol
{
    /// <summary>The deepest nesting of a line.</summary>
    private const int Deepest = 500;

    /// <summary>How many characters of a stack trace are written to standard error.</summary>
    private const int LongestTrace = 2000;

    /// <summary>UTF-8 that throws on malformed bytes.</summary>
    private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false, true);

    private static string runner;
    private static string runnerVersion;
    private static IReadOnlyDictionary<string, Operation> offered;
    private static bool numbersAreStrings;

    // Errors

    /// <summary>An error of this type: throw Fail("ValueError").</summary>
    public static Failure Fail(string type, string message = null) => new Failure(type, message);

    public static UnsupportedAnswer Unsupported(string why) => new UnsupportedAnswer(why);

    /// <summary>The table of errors in PROTOCOL.md.</summary>
    private static string ReasonCode(string type)
    {
        switch (type)
        {
            case "RewardFileNotFoundError":
                return "harbor_reward_missing";
            case "RewardFileEmptyError":
                return "harbor_reward_empty";
            case "VerifierOutputParseError":
                return "harbor_reward_parse_error";
            default: // ValidationError, RecursionError, OverflowError, ... and all others
                return null;
        }
    }

    // Requests and replies

    /// <summary>The spec that hello named; null before hello.</summary>
    public static string Spec { get; private set; }

    /// <summary>
    /// Answers requests until standard input ends. Operations that are null are not offered. With
    /// stringNumbers, all numbers of inputs arrive as strings.
    /// </summary>
    public static void Serve(
        string name,
        string version,
        IReadOnlyDictionary<string, Operation> operations,
        bool stringNumbers = false)
    {
        runner = name;
        runnerVersion = version;
        offered = operations;
        numbersAreStrings = stringNumbers;
        // Numbers look the same in every locale, and accidental output can't break a reply.
        CultureInfo.CurrentCulture = CultureInfo.InvariantCulture;
        Console.SetOut(Console.Error);
        using (Stream replies = Console.OpenStandardOutput())
        using (Stream requests = Console.OpenStandardInput())
        {
            foreach (byte[] line in Lines(requests))
            {
                byte[] reply = Reply(line);
                replies.Write(reply, 0, reply.Length);
                replies.Flush();
            }
        }
    }

    private static byte[] Reply(byte[] line)
    {
        object id = null;
        try
        {
            JsonObject request = Request(line);
            id = request["id"];
            return Encoded(id, "ok", Answer(request));
        }
        catch (Failure error)
        {
            return Encoded(id, "error", Error(error.Type, error.Sentence));
        }
        catch (UnsupportedAnswer answer)
        {
            return Encoded(id, "unsupported", answer.Message);
        }
        catch (Exception error)
        {
            // If an answer contains itself, the whole trace is very long.
            string trace = error.ToString();
            bool fits = trace.Length <= LongestTrace;
            Console.Error.WriteLine(fits ? trace : trace.Substring(0, LongestTrace) + " ...");
            return Encoded(id, "error", Error(error.GetType().Name, error.Message));
        }
    }

    private static JsonObject Error(string type, string message)
    {
        var error = new JsonObject { { "type", type }, { "reason_code", ReasonCode(type) } };
        if (message != null)
        {
            error["message"] = message;
        }
        return error;
    }

    private static Failure BadMessage(string why) => Fail("ProtocolError", why);

    /// <summary>Parses a line into an object with an int id.</summary>
    private static JsonObject Request(byte[] line)
    {
        string text = Decoded(line) ?? throw BadMessage("the line is not UTF-8");
        object value = new Reader(text).Line();
        if (!(value is JsonObject request))
        {
            throw BadMessage("a request is an object, not " + Kind(value));
        }
        if (!(request.Find("id") is BigInteger))
        {
            throw BadMessage("the id of a request is an int, not " + Kind(request.Find("id")));
        }
        return request;
    }

    private static JsonObject Answer(JsonObject request)
    {
        if (!(request.Find("op") is string op))
        {
            throw BadMessage("op is a string, not " + Kind(request.Find("op")));
        }
        if (op == "hello")
        {
            return Hello(request);
        }
        if (!offered.TryGetValue(op, out Operation operation))
        {
            throw Unsupported(runner + " has no " + op);
        }
        if (operation == null)
        {
            throw Unsupported(runner + " has no " + op + " yet");
        }
        if (!(request.Find("input") is JsonObject input))
        {
            throw BadMessage("input is an object, not " + Kind(request.Find("input")));
        }
        return operation(input)
            ?? throw new InvalidOperationException(op + " answered null, not an object");
    }

    private static JsonObject Hello(JsonObject request)
    {
        if (!BigInteger.One.Equals(request.Find("protocol")))
        {
            throw BadMessage("protocol 1 is spoken here, no other");
        }
        Spec = request.Find("spec") as string
            ?? throw BadMessage("spec is a string, not " + Kind(request.Find("spec")));
        var ops = new List<string>();
        foreach (KeyValuePair<string, Operation> operation in offered)
        {
            if (operation.Value != null)
            {
                ops.Add(operation.Key);
            }
        }
        var ok = new JsonObject
        {
            { "runner", runner },
            { "version", runnerVersion },
            { "protocol", 1 },
            { "ops", ops },
        };
        if (numbersAreStrings)
        {
            ok["numbers"] = "string";
        }
        return ok;
    }

    /// <summary>The lines of a stream; the last one may lack its line feed.</summary>
    private static IEnumerable<byte[]> Lines(Stream stream)
    {
        var buffer = new byte[1 << 16];
        var line = new MemoryStream();
        int came;
        while ((came = stream.Read(buffer, 0, buffer.Length)) > 0)
        {
            int begin = 0;
            int end;
            while ((end = Array.IndexOf(buffer, (byte)'\n', begin, came - begin)) >= 0)
            {
                line.Write(buffer, begin, end - begin);
                yield return line.ToArray();
                line.SetLength(0);
                begin = end + 1;
            }
            line.Write(buffer, begin, came - begin);
        }
        if (line.Length > 0)
        {
            yield return line.ToArray();
        }
    }

    // Values

    /// <summary>A BigInteger or a double, which may arrive as a string that spells it.</summary>
    public static object Number(object value)
    {
        if (value is BigInteger || value is double)
        {
            return value;
        }
        switch (value as string)
        {
            case "NaN":
                return double.NaN;
            case "Infinity":
                return double.PositiveInfinity;
            case "-Infinity":
                return double.NegativeInfinity;
        }
        if (value is string text && Reader.TryNumber(text, out object number))
        {
            return number;
        }
        throw Expected("a number", value);
    }

    /// <summary>The nearest double; OverflowError for an int beyond the double range.</summary>
    public static double ToDouble(object number)
    {
        if (!(Number(number) is BigInteger whole))
        {
            return (double)Number(number);
        }
        double size = Nearest(BigInteger.Abs(whole), 1);
        if (double.IsInfinity(size))
        {
            throw Fail("OverflowError", "int too large to convert to float");
        }
        return whole.Sign < 0 ? -size : size;
    }

    /// <summary>Keys with their numbers, in order; null for null.</summary>
    public static JsonObject Rewards(object value)
    {
        if (value == null)
        {
            return null;
        }
        var rewards = new JsonObject();
        foreach (KeyValuePair<string, object> reward in AsObject(value))
        {
            rewards[reward.Key] = Number(reward.Value);
        }
        return rewards;
    }

    public static BigInteger AsInt(object value) =>
        Number(value) is BigInteger number ? number : throw Expected("an int", value);

    public static JsonObject AsObject(object value) =>
        value as JsonObject ?? throw Expected("an object", value);

    public static List<object> AsList(object value) =>
        value as List<object> ?? throw Expected("a list", value);

    public static string AsString(object value) =>
        value as string ?? throw Expected("a string", value);

    public static bool AsBool(object value) =>
        value is bool truth ? truth : throw Expected("a bool", value);

    /// <summary>The string that spells a number, for runners with string numbers.</summary>
    public static string Spelled(object number) =>
        number is double value
            ? Spell(value)
            : Convert.ToString(number, CultureInfo.InvariantCulture);

    /// <summary>Marks a string where a number is expected, so that it equals none.</summary>
    public static JsonObject Text(string text) => new JsonObject { { "string", text } };

    private static Failure Expected(string what, object value) =>
        Fail("TypeError", what + " is expected here, not " + Kind(value));

    private static string Kind(object value)
    {
        string container = value is JsonObject ? "an object" : "a list";
        return value == null ? "null"
            : value is bool ? "a bool"
            : value is BigInteger ? "an int"
            : value is double ? "a float"
            : value is string ? "a string"
            : container;
    }

    // The content of files

    /// <summary>The bytes of a content: {"text": ...} or {"base64": ...}.</summary>
    public static byte[] Bytes(object content)
    {
        JsonObject members = AsObject(content);
        if (!members.Has("base64"))
        {
            return Utf8.GetBytes(AsString(members["text"]));
        }
        try
        {
            return Convert.FromBase64String(AsString(members["base64"]));
        }
        catch (FormatException)
        {
            throw Expected("base64", members["base64"]);
        }
    }

    /// <summary>The content of a file with these bytes.</summary>
    public static JsonObject Content(byte[] bytes)
    {
        string text = Decoded(bytes);
        return text != null
            ? new JsonObject { { "text", text } }
            : new JsonObject { { "base64", Convert.ToBase64String(bytes) } };
    }

    /// <summary>Bytes as text, or null if they are not well-formed UTF-8.</summary>
    private static string Decoded(byte[] bytes)
    {
        try
        {
            return Utf8.GetString(bytes);
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    // Doubles: double.Parse and ToString("R") are not exact everywhere (mono, .NET before 3.0)

    /// <summary>Writes a double as Python's repr does: the fewest digits that read back.</summary>
    public static string Spell(double value)
    {
        if (double.IsNaN(value))
        {
            return "NaN";
        }
        bool negative = BitConverter.DoubleToInt64Bits(value) < 0;
        return (negative ? "-" : "") + SpellSize(Math.Abs(value));
    }

    private static string SpellSize(double value)
    {
        if (double.IsInfinity(value))
        {
            return "Infinity";
        }
        if (value == 0)
        {
            return "0.0";
        }
        string digits = Shortest(value, out int exponent);
        int size = digits.Length;
        if (exponent < -4 || exponent >= 16)
        {
            string fraction = size > 1 ? "." + digits.Substring(1) : "";
            string power = Math.Abs(exponent).ToString("00", CultureInfo.InvariantCulture);
            return digits.Substring(0, 1) + fraction + (exponent < 0 ? "e-" : "e+") + power;
        }
        if (exponent < 0)
        {
            return "0." + new string('0', -exponent - 1) + digits;
        }
        if (size <= exponent + 1)
        {
            return digits + new string('0', exponent + 1 - size) + ".0";
        }
        return digits.Substring(0, exponent + 1) + "." + digits.Substring(exponent + 1);
    }

    /// <summary>The shortest digits, and the power of ten of the first digit.</summary>
    private static string Shortest(double value, out int exponent)
    {
        // Most doubles are short decimals, which a quotient of two exact numbers shows.
        double ten = 1;
        for (int places = 0; places <= 22 && value * ten < 1e15; places++, ten *= 10)
        {
            double whole = Math.Round(value * ten);
            if (whole / ten == value)
            {
                string found = ((long)whole).ToString(CultureInfo.InvariantCulture);
                exponent = found.Length - 1 - places;
                return found.TrimEnd('0');
            }
        }
        long bits = BitConverter.DoubleToInt64Bits(value);
        bool normal = bits >> 52 > 0;
        BigInteger top = bits & (1L << 52) - 1 | (normal ? 1L << 52 : 0);
        int power = (normal ? (int)(bits >> 52) : 1) - 1075;
        BigInteger bottom = BigInteger.One << Math.Max(0, -power);
        top <<= Math.Max(0, power);
        // About 16 digits: they give the exponent, which the logarithm only estimates.
        exponent = (int)Math.Floor(Math.Log10(value));
        exponent += Digits(Scaled(top, bottom, 15 - exponent, out _)).Length - 16;
        // A normal double preserves any 15 digits: if 15 or fewer suffice, they are the nearest 15.
        for (int size = normal ? 15 : 1; ; size++)
        {
            int scale = size - 1 - exponent;
            BigInteger below = Scaled(top, bottom, scale, out int half);
            BigInteger near = half > 0 || half == 0 && !below.IsEven ? below + 1 : below;
            // Doubles are denser below a power of two than above it: the other side may be right.
            BigInteger other = near == below ? below + 1 : below;
            if (size < 17 && FromDecimal(near, -scale) != value)
            {
                if (FromDecimal(other, -scale) != value)
                {
                    continue;
                }
                near = other;
            }
            string digits = Digits(near);
            exponent = digits.Length - 1 - scale;
            return digits.TrimEnd('0');
        }
    }

    /// <summary>A quotient times 10**scale, and how its truncated rest compares to a half.</summary>
    private static BigInteger Scaled(BigInteger top, BigInteger bottom, int scale, out int half)
    {
        top *= BigInteger.Pow(10, Math.Max(0, scale));
        bottom *= BigInteger.Pow(10, Math.Max(0, -scale));
        BigInteger whole = BigInteger.DivRem(top, bottom, out BigInteger rest);
        half = (2 * rest).CompareTo(bottom);
        return whole;
    }

    private static string Digits(BigInteger whole) => whole.ToString(CultureInfo.InvariantCulture);

    /// <summary>The double nearest to digits times 10**exponent.</summary>
    private static double FromDecimal(BigInteger digits, int exponent)
    {
        BigInteger power = BigInteger.Pow(10, Math.Abs(exponent));
        return exponent < 0 ? Nearest(digits, power) : Nearest(digits * power, 1);
    }

    /// <summary>The double nearest to a quotient, to even in a tie, or infinity.</summary>
    private static double Nearest(BigInteger top, BigInteger bottom)
    {
        if (top.IsZero)
        {
            return 0;
        }
        // The power of two of a double's last bit, so that 53 or 54 bits precede the point.
        int power = Math.Max(-1074, BitLength(top) - BitLength(bottom) - 53);
        top <<= Math.Max(0, -power);
        bottom <<= Math.Max(0, power);
        BigInteger whole = BigInteger.DivRem(top, bottom, out BigInteger rest);
        if (!(whole >> 53).IsZero)
        {
            power++;
            bottom <<= 1;
            whole = BigInteger.DivRem(top, bottom, out rest);
        }
        if (power > 971)
        {
            return double.PositiveInfinity;
        }
        int half = (2 * rest).CompareTo(bottom);
        long last = half > 0 || half == 0 && !whole.IsEven ? 1 : 0;
        // A carry out of the 53 bits correctly increments the exponent.
        return BitConverter.Int64BitsToDouble((long)whole + last + ((long)(power + 1074) << 52));
    }

    /// <summary>The number of bits of a positive number.</summary>
    private static int BitLength(BigInteger whole)
    {
        byte[] bytes = whole.ToByteArray();
        int last = bytes.Length - 1;
        while (bytes[last] == 0)
        {
            last--;
        }
        int bits = 8 * last;
        for (int rest = bytes[last]; rest > 0; rest >>= 1)
        {
            bits++;
        }
        return bits;
    }

    // Writing JSON

    private static byte[] Encoded(object id, string key, object value)
    {
        var output = new StringBuilder();
        Write(new JsonObject { { "id", id }, { key, value } }, output, 0);
        return Utf8.GetBytes(output.Append('\n').ToString());
    }

    private static void Write(object value, StringBuilder output, int depth)
    {
        if (depth > 2 * Deepest)
        {
            throw new ArgumentException("an answer is nested too deeply, or holds itself");
        }
        if (value == null)
        {
            output.Append("null");
        }
        else if (value is bool truth)
        {
            output.Append(truth ? "true" : "false");
        }
        else if (value is string text)
        {
            WriteString(text, output);
        }
        else if (value is double number)
        {
            bool finite = !double.IsNaN(number) && !double.IsInfinity(number);
            output.Append(finite ? Spell(number) : '"' + Spell(number) + '"');
        }
        else if (value is BigInteger || value is int || value is long)
        {
            output.Append(Spelled(value));
        }
        else if (value is JsonObject members)
        {
            WriteObject(members, output, depth);
        }
        else if (value is IEnumerable items && !(value is IDictionary))
        {
            WriteList(items, output, depth);
        }
        else
        {
            throw new ArgumentException(
                "an answer holds a " + value.GetType().Name + "; objects are of JsonObject");
        }
    }

    private static void WriteObject(JsonObject members, StringBuilder output, int depth)
    {
        output.Append('{');
        int count = 0;
        foreach (KeyValuePair<string, object> member in members)
        {
            output.Append(count++ > 0 ? "," : "");
            WriteString(member.Key, output);
            output.Append(':');
            Write(member.Value, output, depth + 1);
        }
        output.Append('}');
    }

    private static void WriteList(IEnumerable items, StringBuilder output, int depth)
    {
        output.Append('[');
        int count = 0;
        foreach (object item in items)
        {
            output.Append(count++ > 0 ? "," : "");
            Write(item, output, depth + 1);
        }
        output.Append(']');
    }

    private static void WriteString(string text, StringBuilder output)
    {
        output.Append('"');
        for (int i = 0; i < text.Length; i++)
        {
            char c = text[i];
            if (c == '"' || c == '\\')
            {
                output.Append('\\').Append(c);
            }
            else if (c < ' ' || char.IsSurrogate(c) && !Paired(text, i))
            {
                output.Append("\\u").Append(((int)c).ToString("x4", CultureInfo.InvariantCulture));
            }
            else
            {
                output.Append(c);
            }
        }
        output.Append('"');
    }

    /// <summary>Whether the surrogate at this position is next to its other half.</summary>
    private static bool Paired(string text, int at) =>
        char.IsHighSurrogate(text[at])
            ? at + 1 < text.Length && char.IsLowSurrogate(text[at + 1])
            : at > 0 && char.IsHighSurrogate(text[at - 1]);

    // Reading JSON

    /// <summary>A strict reader of RFC 8259 that distinguishes ints from floats.</summary>
    private sealed class Reader
    {
        private readonly string text;
        private int at;
        private int depth;

        public Reader(string text)
        {
            this.text = text;
        }

        /// <summary>The number that the whole string spells.</summary>
        public static bool TryNumber(string text, out object number)
        {
            number = null;
            try
            {
                var reader = new Reader(text);
                number = reader.Number();
                return reader.at == text.Length;
            }
            catch (Failure)
            {
                return false;
            }
        }

        public object Line()
        {
            object value = Value();
            Skip();
            return at == text.Length ? value : throw Bad("there is something after the value");
        }

        private Failure Bad(string why) =>
            BadMessage("the line is not JSON: " + why + " (character " + (at + 1) + ")");

        /// <summary>The next character; a NUL at the end, because JSON contains none.</summary>
        private char Peek() => at < text.Length ? text[at] : '\0';

        private void Skip()
        {
            for (char c = Peek(); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = Peek())
            {
                at++;
            }
        }

        private bool Take(char c)
        {
            Skip();
            if (Peek() != c)
            {
                return false;
            }
            at++;
            return true;
        }

        private object Value()
        {
            Skip();
            switch (Peek())
            {
                case '{':
                    return Object();
                case '[':
                    return List();
                case '"':
                    return String();
                case 't':
                    return Word("true", true);
                case 'f':
                    return Word("false", false);
                case 'n':
                    return Word("null", null);
                default:
                    return Number();
            }
        }

        private object Word(string word, object value)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0)
            {
                throw Bad("no value");
            }
            at += word.Length;
            return value;
        }

        private void Deeper()
        {
            at++;
            depth++;
            if (depth > Deepest)
            {
                throw Bad("nested deeper than " + Deepest + " levels");
            }
        }

        private JsonObject Object()
        {
            Deeper();
            var members = new JsonObject();
            if (!Take('}'))
            {
                do
                {
                    Skip();
                    if (Peek() != '"')
                    {
                        throw Bad("no key");
                    }
                    string key = String();
                    if (members.Has(key))
                    {
                        throw Bad("a key is in an object twice");
                    }
                    if (!Take(':'))
                    {
                        throw Bad("no colon");
                    }
                    members[key] = Value();
                }
                while (Take(','));
                if (!Take('}'))
                {
                    throw Bad("an object does not end");
                }
            }
            depth--;
            return members;
        }

        private List<object> List()
        {
            Deeper();
            var items = new List<object>();
            if (!Take(']'))
            {
                do
                {
                    items.Add(Value());
                }
                while (Take(','));
                if (!Take(']'))
                {
                    throw Bad("a list does not end");
                }
            }
            depth--;
            return items;
        }

        private object Number()
        {
            bool negative = Peek() == '-';
            if (negative)
            {
                at++;
            }
            string before = Peek() == '0' ? text.Substring(at++, 1) : Run();
            string behind = "";
            string power = "";
            bool isInt = true;
            if (Peek() == '.')
            {
                isInt = false;
                at++;
                behind = Run();
            }
            if (Peek() == 'e' || Peek() == 'E')
            {
                isInt = false;
                at++;
                bool down = Peek() == '-';
                if (down || Peek() == '+')
                {
                    at++;
                }
                power = (down ? "-" : "") + Run();
            }
            if (isInt)
            {
                return negative ? -Whole(before) : Whole(before);
            }
            double number = Float(before + behind, power, behind.Length);
            if (double.IsInfinity(number))
            {
                throw Bad("a float that no double holds");
            }
            return negative ? -number : number;
        }

        /// <summary>Reads one or more digits.</summary>
        private string Run()
        {
            int start = at;
            while (Peek() >= '0' && Peek() <= '9')
            {
                at++;
            }
            if (at == start)
            {
                throw Bad(start == text.Length ? "it ends too early" : "no value");
            }
            return text.Substring(start, at - start);
        }

        /// <summary>Parses in halves: BigInteger.Parse is slow with 100,000 digits.</summary>
        private static BigInteger Whole(string digits)
        {
            int size = digits.Length;
            if (size < 19)
            {
                return long.Parse(digits, CultureInfo.InvariantCulture);
            }
            if (size < 200)
            {
                return BigInteger.Parse(digits, CultureInfo.InvariantCulture);
            }
            BigInteger high = Whole(digits.Substring(0, size - size / 2));
            return high * BigInteger.Pow(10, size / 2) + Whole(digits.Substring(size - size / 2));
        }

        /// <summary>Digits times 10**power; some of the digits follow the point.</summary>
        private static double Float(string digits, string power, int behind)
        {
            digits = digits.TrimStart('0');
            if (digits.Length == 0)
            {
                return 0;
            }
            // A power beyond a long is beyond the length of any line.
            long exponent = 0;
            if (power.Length > 0 && !long.TryParse(
                power, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out exponent))
            {
                exponent = power[0] == '-' ? -Beyond : Beyond;
            }
            exponent = Math.Max(-Beyond, Math.Min(exponent, Beyond)) - behind;
            // After 800 digits, it only matters whether any other digit is not 0.
            if (digits.Length > 800)
            {
                exponent += digits.Length - 801;
                string rest = digits.Substring(800).TrimEnd('0');
                digits = digits.Substring(0, 800) + (rest.Length > 0 ? "1" : "0");
            }
            if (digits.Length + exponent > 310)
            {
                return double.PositiveInfinity;
            }
            if (digits.Length + exponent < -330)
            {
                return 0;
            }
            if (digits.Length <= 15 && Math.Abs(exponent) <= 22)
            {
                // Both are exact, so a single operation rounds correctly.
                double whole = long.Parse(digits, CultureInfo.InvariantCulture);
                double ten = Tens[Math.Abs(exponent)];
                return exponent < 0 ? whole / ten : whole * ten;
            }
            return FromDecimal(Whole(digits), (int)exponent);
        }

        private const long Beyond = 1L << 60;

        private static readonly double[] Tens =
        {
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        };

        private string String()
        {
            int start = ++at;
            while (at < text.Length && text[at] >= ' ')
            {
                if (text[at] == '"')
                {
                    return text.Substring(start, at++ - start);
                }
                if (text[at] == '\\')
                {
                    return Escaped(new StringBuilder(text, start, at - start, at - start + 16));
                }
                at++;
            }
            throw Bad("a string does not end");
        }

        /// <summary>The rest of a string, from its first escape on.</summary>
        private string Escaped(StringBuilder output)
        {
            for (; Peek() >= ' ' && Peek() != '"'; at++)
            {
                if (Peek() == '\\')
                {
                    at++;
                    output.Append(Escape());
                }
                else
                {
                    output.Append(Peek());
                }
            }
            if (Peek() != '"')
            {
                throw Bad("a string does not end");
            }
            at++;
            string whole = output.ToString();
            for (int i = 0; i < whole.Length; i++)
            {
                if (char.IsSurrogate(whole[i]) && !Paired(whole, i))
                {
                    throw Bad("half of a surrogate pair");
                }
            }
            return whole;
        }

        /// <summary>The character that an escape means; the caller skips the escape's last character.</summary>
        private char Escape()
        {
            switch (Peek())
            {
                case '"':
                case '\\':
                case '/':
                    return Peek();
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    int code = 0;
                    for (int i = 0; i < 4; i++)
                    {
                        at++;
                        int digit = "0123456789abcdef".IndexOf(char.ToLowerInvariant(Peek()));
                        if (digit < 0)
                        {
                            throw Bad("an escape without four digits");
                        }
                        code = 16 * code + digit;
                    }
                    return (char)code;
                default:
                    throw Bad("no such escape");
            }
        }
    }
}
