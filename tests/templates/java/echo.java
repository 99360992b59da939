// Test operations: what comes in goes out through the helpers of Protocol.java.

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Runner {
    private Runner() {}

    public static void main(String[] arguments) {
        Map<String, Protocol.Operation> operations = new LinkedHashMap<>();
        operations.put("echo", Runner::echo);
        operations.put("number", Runner::number);
        operations.put("text", Runner::text);
        operations.put("rewards", Runner::rewards);
        operations.put("content", Runner::content);
        operations.put("put", Runner::put);
        operations.put("units", Runner::units);
        operations.put("not_finite", Runner::notFinite);
        operations.put("fail", Runner::fail);
        operations.put("unsupported", Runner::unsupported);
        operations.put("unexpected", Runner::unexpected);
        operations.put("spec", Runner::spec);
        operations.put("stub", null);
        operations.put("print", Runner::print);
        operations.put("leave", Runner::leave);
        boolean strings = arguments.length > 0 && arguments[0].equals("--strings");
        Protocol.serve("echo", "1", operations, strings);
    }

    static Map<String, Object> echo(Map<String, Object> input) {
        return Protocol.objectOf("value", Protocol.member(input, "value"));
    }

    static Map<String, Object> number(Map<String, Object> input) {
        Number value = Protocol.number(input.get("value"));
        return Protocol.objectOf(
                "kind", value instanceof Double ? "float" : "int",
                "value", value,
                "spelled", Protocol.spelled(value),
                "double", Protocol.toDouble(value));
    }

    static Map<String, Object> text(Map<String, Object> input) {
        String value = Protocol.string(input.get("value"));
        List<Object> codePoints = new ArrayList<>();
        value.codePoints().forEach(codePoints::add);
        return Protocol.objectOf("code_points", codePoints, "marked", Protocol.text(value));
    }

    static Map<String, Object> rewards(Map<String, Object> input) {
        Map<String, Number> rewards = Protocol.rewards(Protocol.member(input, "rewards"));
        return Protocol.objectOf("rewards", rewards);
    }

    static Map<String, Object> content(Map<String, Object> input) {
        byte[] bytes = Protocol.bytes(input.get("file"));
        byte[] reversed = new byte[bytes.length];
        StringBuilder hex = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            reversed[bytes.length - 1 - i] = bytes[i];
            hex.append(String.format("%02x", bytes[i]));
        }
        return Protocol.objectOf(
                "hex", hex.toString(),
                "file", Protocol.content(bytes),
                "reversed", Protocol.content(reversed));
    }

    static Map<String, Object> put(Map<String, Object> input) {
        Map<String, Object> object = new LinkedHashMap<>();
        for (Object item : Protocol.list(input.get("pairs"))) {
            List<Object> pair = Protocol.list(item);
            object.put(Protocol.string(pair.get(0)), pair.get(1));
        }
        return Protocol.objectOf("object", object);
    }

    static Map<String, Object> units(Map<String, Object> input) {
        StringBuilder text = new StringBuilder();
        for (Object unit : Protocol.list(input.get("units"))) {
            text.append((char) Protocol.toDouble(Protocol.number(unit)));
        }
        String built = text.toString();
        return Protocol.objectOf("text", built, "object", Protocol.objectOf(built, 1));
    }

    static Map<String, Object> notFinite(Map<String, Object> input) {
        List<Double> infinities = List.of(Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY);
        return Protocol.objectOf("nan", Double.NaN, "list", infinities, "zero", -0.0);
    }

    static Map<String, Object> fail(Map<String, Object> input) {
        String type = Protocol.string(input.get("type"));
        if (!input.containsKey("message")) {
            throw Protocol.fail(type);
        }
        throw Protocol.fail(type, Protocol.string(input.get("message")));
    }

    static Map<String, Object> unsupported(Map<String, Object> input) {
        throw Protocol.unsupported(Protocol.string(input.get("why")));
    }

    static Map<String, Object> unexpected(Map<String, Object> input) {
        List<Object> none = new ArrayList<>();
        return Protocol.objectOf("value", none.get(1));
    }

    static Map<String, Object> spec(Map<String, Object> input) {
        return Protocol.objectOf("spec", Protocol.spec());
    }

    static Map<String, Object> print(Map<String, Object> input) {
        System.err.println("a line on standard error");
        System.out.println("a line that is printed");
        return Protocol.objectOf();
    }

    static Map<String, Object> leave(Map<String, Object> input) {
        Runtime.getRuntime().halt(3);
        return null;
    }
}
