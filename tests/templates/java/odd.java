// Answers that are none, and exceptions of an author's own.

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Runner {
    private Runner() {}

    static final class MyError extends RuntimeException {
        private static final long serialVersionUID = 1;

        MyError() {
            super("mine");
        }
    }

    public static void main(String[] arguments) {
        Map<String, Protocol.Operation> operations = new LinkedHashMap<>();
        operations.put("object_itself", Runner::objectItself);
        operations.put("list_itself", Runner::listItself);
        operations.put("endless", input -> endless(input));
        operations.put(
                "own",
                input -> {
                    throw new MyError();
                });
        operations.put(
                "nameless",
                input -> {
                    throw new RuntimeException("none") {
                        private static final long serialVersionUID = 1;
                    };
                });
        Protocol.serve("odd", "1", operations);
    }

    static Map<String, Object> objectItself(Map<String, Object> input) {
        Map<String, Object> me = Protocol.objectOf("first", null);
        me.put("me", me);
        return me;
    }

    static Map<String, Object> listItself(Map<String, Object> input) {
        List<Object> list = new ArrayList<>();
        list.add(new ArrayList<>());
        list.add(list);
        return Protocol.objectOf("list", list);
    }

    static Map<String, Object> endless(Map<String, Object> input) {
        return Protocol.objectOf("x", endless(input));
    }
}
