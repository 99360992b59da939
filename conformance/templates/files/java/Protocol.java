// The runner protocol of harbor-conformance, version 1. You never edit this file.
//
// Values are Java's own: null, Boolean, BigInteger (an int of any size), Double (a float), String,
// List<Object> and Map<String, Object>, which keeps the order of its members. Answers may also
// contain int, long and any other List or Map that keeps its order.
//
//   serve     answers requests until standard input ends
//   spec      the spec that hello named
//   number    an int or a float; also reads strings that spell numbers, such as "NaN"
//   integer   an int
//   toDouble  a number as a double, or OverflowError
//   rewards   null, or keys with their numbers
//   object, list, string, bool   a value of that kind, or TypeError
//   member    a member that must exist, but may be null
//   objectOf  an object made of keys and values
//   bytes, content   the bytes of a file's content, and the content of bytes
//   spell     a double as Python spells it
//   spelled   a number as a string that spells it
//   text      marks a string where a number is expected, so that it equals none
//   fail, unsupported   what to throw instead of an answer
//
// What operations print with System.out goes to standard error. Give child processes their own
// streams: with inheritIO they would write among the replies.

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Protocol {
    /** Takes the input of a request and returns the members of "ok". */
    public interface Operation {
        Map<String, Object> answer(Map<String, Object> input) throws Exception;
    }

    /** A reply that is an error. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        public final String type;

        private Failure(String type, String message) {
            super(message, null, false, false);
            this.type = type;
        }
    }

    /** A reply that says why there is no answer. */
    public static final class Unsupported extends RuntimeException {
        private static final long serialVersionUID = 1;

        private Unsupported(String why) {
            super(why, null, false, false);
        }
    }

    /** The deepest nesting of a line. */
    private static final int DEEPEST = 500;

    /** How many characters of a stack trace are written to standard error. */
    private static final int LONGEST_TRACE = 2000;

    private static String name;
    private static String version;
    private static Map<String, Operation> operations;
    private static boolean stringNumbers;
    private static String spec;

    private Protocol() {}

    // Errors

    /** An error of this type: {@code throw Protocol.fail("ValueError")}. */
    public static Failure fail(String type) {
        return new Failure(type, null);
    }

    public static Failure fail(String type, String message) {
        return new Failure(type, message);
    }

    public static Unsupported unsupported(String why) {
        return new Unsupported(why);
    }

    /** The table of errors in PROTOCOL.md. */
    private static String reasonCode(String type) {
        switch (type) {
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

    public static void serve(String name, String version, Map<String, Operation> operations) {
        serve(name, version, operations, false);
    }

    /**
     * Answers requests until standard input ends. Operations that are null are not offered. With
     * stringNumbers, all numbers of inputs arrive as strings.
     */
    public static void serve(
            String name, String version, Map<String, Operation> operations, boolean stringNumbers) {
        Protocol.name = name;
        Protocol.version = version;
        Protocol.operations = operations;
        Protocol.stringNumbers = stringNumbers;
        // What is printed by mistake goes to standard error, where it can't break a reply.
        System.setOut(System.err);
        OutputStream replies = new FileOutputStream(FileDescriptor.out);
        Lines requests = new Lines(new FileInputStream(FileDescriptor.in));
        try {
            for (byte[] line = requests.next(); line != null; line = requests.next()) {
                replies.write(reply(line));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** The spec that hello named; null before hello. */
    public static String spec() {
        return spec;
    }

    private static byte[] reply(byte[] line) {
        BigInteger id = null;
        try {
            Map<String, Object> request = request(line);
            id = (BigInteger) request.get("id");
            return encoded(id, "ok", answer(request));
        } catch (Failure error) {
            return encoded(id, "error", error(error.type, error.getMessage()));
        } catch (Unsupported answer) {
            return encoded(id, "unsupported", String.valueOf(answer.getMessage()));
        } catch (Throwable error) {
            // After a stack overflow the stack is unwound here, so the runner can continue.
            printTrace(error);
            String type = error.getClass().getSimpleName();
            type = type.isEmpty() ? error.getClass().getName() : type; // anonymous: no name
            return encoded(id, "error", error(type, error.getMessage()));
        }
    }

    /** The beginning of a stack trace; after a stack overflow, the whole is very long. */
    private static void printTrace(Throwable error) {
        StringWriter writer = new StringWriter();
        error.printStackTrace(new PrintWriter(writer));
        String trace = writer.toString().trim();
        boolean fits = trace.length() <= LONGEST_TRACE;
        System.err.println(fits ? trace : trace.substring(0, LONGEST_TRACE) + " ...");
    }

    private static Map<String, Object> error(String type, String message) {
        Map<String, Object> error = objectOf("type", type, "reason_code", reasonCode(type));
        if (message != null) {
            error.put("message", message);
        }
        return error;
    }

    private static Failure badMessage(String why) {
        return fail("ProtocolError", why);
    }

    /** Parses a line into an object with an int id. */
    private static Map<String, Object> request(byte[] line) {
        Object request;
        try {
            request = new Reader(decoded(line)).line();
        } catch (CharacterCodingException error) {
            throw badMessage("the line is not UTF-8");
        }
        if (!(request instanceof Map)) {
            throw badMessage("a request is an object, not " + kind(request));
        }
        Map<String, Object> members = object(request);
        if (!(members.get("id") instanceof BigInteger)) {
            throw badMessage("the id of a request is an int, not " + kind(members.get("id")));
        }
        return members;
    }

    private static Map<String, Object> answer(Map<String, Object> request) throws Exception {
        Object op = request.get("op");
        Object input = request.get("input");
        if (!(op instanceof String)) {
            throw badMessage("op is a string, not " + kind(op));
        } else if (op.equals("hello")) {
            return hello(request);
        } else if (!operations.containsKey(op)) {
            throw unsupported(name + " has no " + op);
        } else if (operations.get(op) == null) {
            throw unsupported(name + " has no " + op + " yet");
        } else if (!(input instanceof Map)) {
            throw badMessage("input is an object, not " + kind(input));
        }
        Map<String, Object> ok = operations.get(op).answer(object(input));
        if (ok == null) {
            throw new IllegalStateException(op + " answered null, not an object");
        }
        return ok;
    }

    private static Map<String, Object> hello(Map<String, Object> request) {
        if (!BigInteger.ONE.equals(request.get("protocol"))) {
            throw badMessage("protocol 1 is spoken here, no other");
        } else if (!(request.get("spec") instanceof String)) {
            throw badMessage("spec is a string, not " + kind(request.get("spec")));
        }
        spec = string(request.get("spec"));
        List<String> offered = new ArrayList<>();
        for (Map.Entry<String, Operation> operation : operations.entrySet()) {
            if (operation.getValue() != null) {
                offered.add(operation.getKey());
            }
        }
        Map<String, Object> ok =
                objectOf("runner", name, "version", version, "protocol", 1, "ops", offered);
        if (stringNumbers) {
            ok.put("numbers", "string");
        }
        return ok;
    }

    /** The lines of a stream; the last one may lack its line feed. */
    private static final class Lines {
        private final InputStream stream;
        private byte[] buffer = new byte[1 << 16];
        private int begin;
        private int end;

        Lines(InputStream stream) {
            this.stream = stream;
        }

        byte[] next() throws IOException {
            int at = begin;
            while (true) {
                for (; at < end; at++) {
                    if (buffer[at] == '\n') {
                        byte[] line = Arrays.copyOfRange(buffer, begin, at);
                        begin = at + 1;
                        return line;
                    }
                }
                if (begin > 0) {
                    System.arraycopy(buffer, begin, buffer, 0, end - begin);
                    at -= begin;
                    end -= begin;
                    begin = 0;
                }
                if (end == buffer.length) {
                    buffer = Arrays.copyOf(buffer, 2 * buffer.length);
                }
                int came = stream.read(buffer, end, buffer.length - end);
                if (came < 0) {
                    byte[] rest = Arrays.copyOf(buffer, end);
                    end = 0;
                    return rest.length == 0 ? null : rest;
                }
                end += came;
            }
        }
    }

    // Values

    /** A number: a BigInteger or a Double. It may arrive as a string that spells it. */
    public static Number number(Object value) {
        if (value instanceof BigInteger || value instanceof Double) {
            return (Number) value;
        }
        if (value instanceof String) {
            switch ((String) value) {
                case "NaN":
                    return Double.NaN;
                case "Infinity":
                    return Double.POSITIVE_INFINITY;
                case "-Infinity":
                    return Double.NEGATIVE_INFINITY;
                default:
                    Number number = Reader.number((String) value);
                    if (number != null) {
                        return number;
                    }
            }
        }
        throw expected("a number", value);
    }

    public static BigInteger integer(Object value) {
        Number number = number(value);
        if (number instanceof BigInteger) {
            return (BigInteger) number;
        }
        throw expected("an int", value);
    }

    /** The nearest double; OverflowError for an int beyond the double range. */
    public static double toDouble(Number number) {
        double value = number.doubleValue();
        if (Double.isInfinite(value) && number instanceof BigInteger) {
            throw fail("OverflowError", "int too large to convert to float");
        }
        return value;
    }

    /** Keys with their numbers, in order; null for null. */
    public static Map<String, Number> rewards(Object value) {
        if (value == null) {
            return null;
        }
        Map<String, Number> rewards = new LinkedHashMap<>();
        for (Map.Entry<String, Object> reward : object(value).entrySet()) {
            rewards.put(reward.getKey(), number(reward.getValue()));
        }
        return rewards;
    }

    @SuppressWarnings("unchecked") // The reader only creates maps with string keys.
    public static Map<String, Object> object(Object value) {
        if (value instanceof Map) {
            return (Map<String, Object>) value;
        }
        throw expected("an object", value);
    }

    @SuppressWarnings("unchecked")
    public static List<Object> list(Object value) {
        if (value instanceof List) {
            return (List<Object>) value;
        }
        throw expected("a list", value);
    }

    public static String string(Object value) {
        if (value instanceof String) {
            return (String) value;
        }
        throw expected("a string", value);
    }

    public static boolean bool(Object value) {
        if (value instanceof Boolean) {
            return (Boolean) value;
        }
        throw expected("a bool", value);
    }

    /** A member that may be null. For others, {@code list(input.get("steps"))} is enough. */
    public static Object member(Map<String, Object> object, String key) {
        if (object.containsKey(key)) {
            return object.get(key);
        }
        throw fail("TypeError", "a member is missing here: " + key);
    }

    /** An object of alternating keys and values: {@code objectOf("mean", 0.5)}. */
    public static Map<String, Object> objectOf(Object... pairs) {
        Map<String, Object> members = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            members.put((String) pairs[i], pairs[i + 1]);
        }
        return members;
    }

    /** The string that spells a number, for runners with string numbers. */
    public static String spelled(Number number) {
        boolean isFloat = number instanceof Double || number instanceof Float;
        return isFloat ? spell(number.doubleValue()) : number.toString();
    }

    /** Marks a string where a number is expected, so that it equals none. */
    public static Map<String, Object> text(String string) {
        return objectOf("string", string);
    }

    private static Failure expected(String what, Object value) {
        return fail("TypeError", what + " is expected here, not " + kind(value));
    }

    private static String kind(Object value) {
        if (value == null) {
            return "null";
        } else if (value instanceof Boolean) {
            return "a bool";
        } else if (value instanceof BigInteger) {
            return "an int";
        } else if (value instanceof Double) {
            return "a float";
        } else if (value instanceof String) {
            return "a string";
        }
        return value instanceof List ? "a list" : "an object";
    }

    // The content of files

    /** The bytes of a content: {@code {"text": ...}} or {@code {"base64": ...}}. */
    public static byte[] bytes(Object content) {
        Map<String, Object> members = object(content);
        if (!members.containsKey("base64")) {
            return string(members.get("text")).getBytes(StandardCharsets.UTF_8);
        }
        try {
            return Base64.getDecoder().decode(string(members.get("base64")));
        } catch (IllegalArgumentException error) {
            throw expected("base64", members.get("base64"));
        }
    }

    /** The content of a file with these bytes. */
    public static Map<String, Object> content(byte[] bytes) {
        try {
            return objectOf("text", decoded(bytes));
        } catch (CharacterCodingException error) {
            return objectOf("base64", Base64.getEncoder().encodeToString(bytes));
        }
    }

    /** Bytes as text, if they are well-formed UTF-8. */
    private static String decoded(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }

    // The spelling of doubles

    /** Writes a double as Python's repr does: the fewest digits that read back as the same. */
    public static String spell(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Double.toString(value);
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal shortest = shortest(Math.abs(value));
        String digits = shortest.unscaledValue().toString();
        int exponent = digits.length() - shortest.scale() - 1;
        int last = digits.length();
        while (last > 1 && digits.charAt(last - 1) == '0') {
            last--;
        }
        StringBuilder out = new StringBuilder(value < 0 ? "-" : "");
        if (exponent < -4 || exponent >= 16) {
            out.append(digits, 0, 1);
            if (last > 1) {
                out.append('.').append(digits, 1, last);
            }
            int size = Math.abs(exponent);
            out.append(exponent < 0 ? "e-" : "e+").append(size < 10 ? "0" : "").append(size);
        } else if (exponent < 0) {
            out.append("0.").append("0".repeat(-exponent - 1)).append(digits, 0, last);
        } else if (last <= exponent + 1) {
            out.append(digits, 0, last).append("0".repeat(exponent + 1 - last)).append(".0");
        } else {
            out.append(digits, 0, exponent + 1).append('.').append(digits, exponent + 1, last);
        }
        return out.toString();
    }

    /** The shortest decimal; before Java 19, Double.toString misses some: 2e23 (JDK-4511638). */
    private static BigDecimal shortest(double value) {
        // Most doubles are short decimals, which a quotient of two exact numbers shows.
        int scale = 0;
        for (double ten = 1; scale <= 22 && value * ten < 1e15; ten *= 10) {
            long whole = Math.round(value * ten);
            if (whole / ten == value) {
                return BigDecimal.valueOf(whole, scale);
            }
            scale++;
        }
        BigDecimal exact = new BigDecimal(value);
        // A normal double preserves any 15 digits: if 15 or fewer suffice, they are the nearest 15.
        for (int size = value < Double.MIN_NORMAL ? 1 : 15; size < 17; size++) {
            BigDecimal near = exact.round(new MathContext(size, RoundingMode.HALF_EVEN));
            if (near.doubleValue() == value) {
                return near;
            }
            // Doubles are denser below a power of two than above it: the other side may be right.
            boolean below = near.compareTo(exact) < 0;
            RoundingMode mode = below ? RoundingMode.UP : RoundingMode.DOWN;
            BigDecimal other = exact.round(new MathContext(size, mode));
            if (other.doubleValue() == value) {
                return other;
            }
        }
        return exact.round(new MathContext(17, RoundingMode.HALF_EVEN));
    }

    // Writing JSON

    private static byte[] encoded(BigInteger id, String key, Object value) {
        StringBuilder out = new StringBuilder();
        write(objectOf("id", id, key, value), out, 0);
        return out.append('\n').toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(Object value, StringBuilder out, int depth) {
        if (depth > 2 * DEEPEST) {
            throw new IllegalArgumentException("an answer is nested too deeply, or holds itself");
        }
        if (value == null || value instanceof Boolean) {
            out.append(value);
        } else if (value instanceof String) {
            writeString((String) value, out);
        } else if (value instanceof Double || value instanceof Float) {
            double number = ((Number) value).doubleValue();
            String quote = Double.isNaN(number) || Double.isInfinite(number) ? "\"" : "";
            out.append(quote).append(spell(number)).append(quote);
        } else if (value instanceof BigInteger
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Short
                || value instanceof Byte) {
            out.append(value);
        } else if (value instanceof List) {
            String before = "[";
            for (Object item : (List<?>) value) {
                out.append(before);
                write(item, out, depth + 1);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                writeString((String) member.getKey(), out);
                out.append(':');
                write(member.getValue(), out, depth + 1);
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else {
            throw new IllegalArgumentException(
                    "an answer holds a " + value.getClass().getTypeName() + ", no value of JSON");
        }
    }

    private static void writeString(String string, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c) && !paired(string, i)) {
                out.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    /** Whether the surrogate at this position is next to its other half. */
    private static boolean paired(CharSequence text, int at) {
        return Character.isHighSurrogate(text.charAt(at))
                ? at + 1 < text.length() && Character.isLowSurrogate(text.charAt(at + 1))
                : at > 0 && Character.isHighSurrogate(text.charAt(at - 1));
    }

    // Reading JSON

    /** A strict reader of RFC 8259 that distinguishes ints from floats. */
    private static final class Reader {
        private final String text;
        private int at;
        private int depth;

        Reader(String text) {
            this.text = text;
        }

        /** The number that the whole string spells, or null. */
        static Number number(String text) {
            try {
                Reader reader = new Reader(text);
                Number number = reader.number();
                return reader.at == text.length() ? number : null;
            } catch (Failure error) {
                return null;
            }
        }

        Object line() {
            Object value = value();
            skip();
            if (at < text.length()) {
                throw bad("there is something after the value");
            }
            return value;
        }

        private Failure bad(String why) {
            return badMessage("the line is not JSON: " + why + " (character " + (at + 1) + ")");
        }

        /** The next character; a NUL at the end, because JSON contains none. */
        private char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }

        private void skip() {
            for (char c = peek(); c == ' ' || c == '\t' || c == '\r' || c == '\n'; c = peek()) {
                at++;
            }
        }

        private boolean take(char c) {
            skip();
            if (peek() != c) {
                return false;
            }
            at++;
            return true;
        }

        private Object value() {
            skip();
            switch (peek()) {
                case '{':
                    return object();
                case '[':
                    return list();
                case '"':
                    return string();
                case 't':
                    return word("true", Boolean.TRUE);
                case 'f':
                    return word("false", Boolean.FALSE);
                case 'n':
                    return word("null", null);
                default:
                    return number();
            }
        }

        private Object word(String word, Object value) {
            if (!text.startsWith(word, at)) {
                throw bad("no value");
            }
            at += word.length();
            return value;
        }

        private void deeper() {
            at++;
            depth++;
            if (depth > DEEPEST) {
                throw bad("nested deeper than " + DEEPEST + " levels");
            }
        }

        private Map<String, Object> object() {
            deeper();
            Map<String, Object> members = new LinkedHashMap<>();
            if (!take('}')) {
                do {
                    skip();
                    if (peek() != '"') {
                        throw bad("no key");
                    }
                    String key = string();
                    if (members.containsKey(key)) {
                        throw bad("a key is in an object twice");
                    }
                    if (!take(':')) {
                        throw bad("no colon");
                    }
                    members.put(key, value());
                } while (take(','));
                if (!take('}')) {
                    throw bad("an object does not end");
                }
            }
            depth--;
            return members;
        }

        private List<Object> list() {
            deeper();
            List<Object> items = new ArrayList<>();
            if (!take(']')) {
                do {
                    items.add(value());
                } while (take(','));
                if (!take(']')) {
                    throw bad("a list does not end");
                }
            }
            depth--;
            return items;
        }

        private Number number() {
            int start = at;
            boolean isFloat = false;
            if (peek() == '-') {
                at++;
            }
            if (peek() == '0') {
                at++;
            } else {
                digits();
            }
            if (peek() == '.') {
                isFloat = true;
                at++;
                digits();
            }
            if (peek() == 'e' || peek() == 'E') {
                isFloat = true;
                at++;
                if (peek() == '+' || peek() == '-') {
                    at++;
                }
                digits();
            }
            String spelled = text.substring(start, at);
            if (!isFloat) {
                return whole(spelled);
            }
            double number = Double.parseDouble(spelled);
            if (Double.isInfinite(number)) {
                throw bad("a float that no double holds");
            }
            return number;
        }

        private void digits() {
            int start = at;
            while (peek() >= '0' && peek() <= '9') {
                at++;
            }
            if (at == start) {
                throw bad(start == text.length() ? "it ends too early" : "no value");
            }
        }

        /** Parses in halves, because BigInteger is slow with a million digits. */
        private static BigInteger whole(String spelled) {
            int size = spelled.length();
            if (size < 19) {
                return BigInteger.valueOf(Long.parseLong(spelled));
            } else if (size < 2000) {
                return new BigInteger(spelled);
            } else if (spelled.charAt(0) == '-') {
                return whole(spelled.substring(1)).negate();
            }
            BigInteger high = whole(spelled.substring(0, size - size / 2));
            return high.multiply(BigInteger.TEN.pow(size / 2))
                    .add(whole(spelled.substring(size - size / 2)));
        }

        private String string() {
            int start = ++at;
            while (at < text.length() && text.charAt(at) >= ' ') {
                char c = text.charAt(at);
                if (c == '"') {
                    return text.substring(start, at++);
                } else if (c == '\\') {
                    return escaped(new StringBuilder().append(text, start, at));
                }
                at++;
            }
            throw bad("a string does not end");
        }

        /** The rest of a string, from its first escape on. */
        private String escaped(StringBuilder out) {
            for (; peek() >= ' ' && peek() != '"'; at++) {
                if (peek() == '\\') {
                    at++;
                    out.append(escape());
                } else {
                    out.append(peek());
                }
            }
            if (peek() != '"') {
                throw bad("a string does not end");
            }
            at++;
            for (int i = 0; i < out.length(); i++) {
                if (Character.isSurrogate(out.charAt(i)) && !paired(out, i)) {
                    throw bad("half of a surrogate pair");
                }
            }
            return out.toString();
        }

        /** The character that an escape means; the caller skips the escape's last character. */
        private char escape() {
            switch (peek()) {
                case '"':
                case '\\':
                case '/':
                    return peek();
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
                    for (int i = 0; i < 4; i++) {
                        at++;
                        int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
                        if (digit < 0) {
                            throw bad("an escape without four digits");
                        }
                        code = 16 * code + digit;
                    }
                    return (char) code;
                default:
                    throw bad("no such escape");
            }
        }
    }
}
