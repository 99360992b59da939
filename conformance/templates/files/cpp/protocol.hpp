// The runner protocol of harbor-conformance, version 1, in one header without dependencies.
// You never edit this file: write your operations in runner.cpp, and `serve` does the rest.
//
// - values: `Value`, `Int` (of any size), `Text`, `List`, `Object` (keeps the order of its members)
// - to read an input: `Object::at`, `find`, `Value::text`, `list`, `object`, `boolean`, `integer`,
//   …; `number`, `to_double`, `rewards`, `bytes`, `spec`
// - to build an answer: `Object::put`, `marked`, `spelled`, `content`, `spell`
// - instead of an answer: `fail`, `unsupported`, `bad_input`
// - the loop: `serve`, `Operations`, `Numbers`
// - JSON: `parse`, `to_json`
//
// Any other exception in an operation becomes an error, with the exception's name as its type.
// Undefined behaviour can't be caught: use `at`. The Makefile turns on further checks.

#ifndef PROTOCOL_HPP
#define PROTOCOL_HPP

#include <cctype>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#if defined(__GNUG__)
#include <cxxabi.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#include <unistd.h>
#endif

namespace protocol {

// ------------------------------------------------------------------------------------------------
// Instead of an answer

// Thrown by `fail`: the input is rejected with this error.
struct Failure {
    std::string type;
    std::optional<std::string> message;
};

// Thrown by `unsupported`.
struct Unsupported {
    std::string why;
};

// Rejects the input, with the reason_code from the table in PROTOCOL.md.
[[noreturn]] inline void fail(std::string type) {
    throw Failure{std::move(type), std::nullopt};
}

// The same with a message for people; it is never compared.
[[noreturn]] inline void fail(std::string type, std::string message) {
    throw Failure{std::move(type), std::move(message)};
}

// Declines an input that your program can't handle, and says why.
[[noreturn]] inline void unsupported(std::string why) {
    throw Unsupported{std::move(why)};
}

// The input differs from PROTOCOL.md.
[[noreturn]] inline void bad_input(std::string message) {
    fail("TypeError", std::move(message));
}

// ------------------------------------------------------------------------------------------------
// Values

// A JSON value. Ints and floats differ: 1 is an int, 1.0 a float.
class Value;
// A member of an object: `key` and `value`.
struct Member;

using Text = std::string;  // UTF-8
using List = std::vector<Value>;

// An int of any size, as decimal digits: a minus sign if it is negative, and no leading zeros.
class Int {
public:
    // Throws std::invalid_argument if the text is not an int of JSON: "+5", "007", "1.0", "".
    explicit Int(std::string spelled = "0") : text(spelled == "-0" ? "0" : std::move(spelled)) {
        const std::size_t first = text[0] == '-' ? 1 : 0;
        const bool digits_only = text.find_first_not_of("0123456789", first) == std::string::npos;
        if (!digits_only || text.size() == first || (text[first] == '0' && text.size() > 1)) {
            throw std::invalid_argument("no int: \"" + text + '"');
        }
    }

    const std::string& digits() const { return text; }

    bool operator==(const Int& other) const { return text == other.text; }
    bool operator!=(const Int& other) const { return text != other.text; }

private:
    std::string text;
};

// A JSON object that keeps the order of its members.
class Object {
public:
    Object() = default;
    Object(std::initializer_list<Member> from);

    // Sets a member. A new key goes to the end; an existing one keeps its position.
    Value& put(Text key, Value value);

    // The member's value; its absence is bad input.
    const Value& at(std::string_view key) const;
    Value& at(std::string_view key);

    // A pointer to the member's value, or a null pointer.
    const Value* find(std::string_view key) const;
    bool contains(std::string_view key) const { return find(key) != nullptr; }

    std::size_t size() const;
    bool empty() const { return size() == 0; }

    // Iterates over members: `for (const auto& [key, value] : object)`.
    std::vector<Member>::const_iterator begin() const;
    std::vector<Member>::const_iterator end() const;

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    static constexpr std::size_t few = 16;

    std::size_t place(std::string_view key) const;
    void note(std::size_t member);

    std::vector<Member> members;
    std::vector<std::size_t> slots;  // a hash table, if there are more than a few members
};

class Value {
public:
    using Any = std::variant<std::nullptr_t, bool, Int, double, Text, List, Object>;

    Value(std::nullptr_t = nullptr) : any(nullptr) {}
    template <class T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
    Value(T truth) : any(truth) {}
    template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> &&
                                            !std::is_same_v<T, char>, int> = 0>
    Value(T small) : any(Int{std::to_string(small)}) {}
    Value(Int from) : any(std::move(from)) {}
    Value(double from) : any(from) {}
    Value(const char* from) : any(Text(from)) {}
    Value(std::string_view from) : any(Text(from)) {}
    Value(Text from) : any(std::move(from)) {}
    Value(List from) : any(std::move(from)) {}
    Value(Object from) : any(std::move(from)) {}
    Value(const void*) = delete;  // otherwise a pointer would become a bool

    template <class T>
    bool is() const { return std::holds_alternative<T>(any); }
    bool is_null() const { return is<std::nullptr_t>(); }

    // The value as the expected type; any other is bad input.
    bool boolean() const { return get<bool>("a bool"); }
    const Text& text() const { return get<Text>("a string"); }
    const List& list() const { return get<List>("a list"); }
    const Object& object() const { return get<Object>("an object"); }

    // An int of 64 bits, such as a count or an exit code.
    std::int64_t integer() const;

    const char* kind() const {
        static const char* const names[] = {
            "null", "a bool", "an int", "a float", "a string", "a list", "an object"};
        return names[any.index()];
    }

    Any any;

private:
    template <class T>
    const T& get(const char* wanted) const {
        if (const T* found = std::get_if<T>(&any)) return *found;
        bad_input(std::string(wanted) + " is expected, not " + kind());
    }
};

struct Member {
    Text key;
    Value value;
};

inline Object::Object(std::initializer_list<Member> from) {
    for (const Member& member : from) put(member.key, member.value);
}

inline std::size_t Object::size() const { return members.size(); }
inline std::vector<Member>::const_iterator Object::begin() const { return members.begin(); }
inline std::vector<Member>::const_iterator Object::end() const { return members.end(); }

inline std::size_t Object::place(std::string_view key) const {
    if (slots.empty()) {
        for (std::size_t i = 0; i < members.size(); ++i) {
            if (members[i].key == key) return i;
        }
        return none;
    }
    const std::size_t mask = slots.size() - 1;
    for (std::size_t at = std::hash<std::string_view>()(key) & mask;; at = (at + 1) & mask) {
        if (slots[at] == none || members[slots[at]].key == key) return slots[at];
    }
}

// Adds a member to the hash table, which is never more than half full.
inline void Object::note(std::size_t member) {
    if (members.size() <= few) return;
    std::size_t first = member;
    if (members.size() * 2 > slots.size()) {
        slots.assign(slots.empty() ? few * 8 : slots.size() * 2, none);
        first = 0;
    }
    const std::size_t mask = slots.size() - 1;
    for (std::size_t i = first; i <= member; ++i) {
        std::size_t at = std::hash<std::string_view>()(members[i].key) & mask;
        while (slots[at] != none) at = (at + 1) & mask;
        slots[at] = i;
    }
}

inline Value& Object::put(Text key, Value value) {
    const std::size_t found = place(key);
    if (found != none) return members[found].value = std::move(value);
    members.push_back(Member{std::move(key), std::move(value)});
    note(members.size() - 1);
    return members.back().value;
}

inline const Value* Object::find(std::string_view key) const {
    const std::size_t found = place(key);
    return found == none ? nullptr : &members[found].value;
}

inline const Value& Object::at(std::string_view key) const {
    if (const Value* found = find(key)) return *found;
    bad_input("the member " + std::string(key) + " is missing");
}

inline Value& Object::at(std::string_view key) {
    return const_cast<Value&>(std::as_const(*this).at(key));
}

// ------------------------------------------------------------------------------------------------
// JSON, read strictly, and written with floats as Python's repr writes them

// Thrown by `parse`: the text is not JSON as this protocol requires it.
struct BadJson : std::runtime_error {
    using std::runtime_error::runtime_error;
};

namespace detail {

constexpr int max_depth = 500;

// The length of the well-formed UTF-8 character at the beginning; 0 if there is none.
inline std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return text.empty() ? 0 : 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF) {
        const bool overlong = first == 0xE0 && second < 0xA0;
        const bool surrogate = first == 0xED && second > 0x9F;
        return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (first >= 0xF0 && first <= 0xF4) {
        const bool overlong = first == 0xF0 && second < 0x90;
        const bool beyond = first == 0xF4 && second > 0x8F;
        return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

inline bool well_formed(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

inline void append_utf8(std::string& to, std::uint32_t code) {
    const auto add = [&](std::uint32_t byte) { to += static_cast<char>(byte); };
    if (code < 0x80) {
        add(code);
    } else if (code < 0x800) {
        add(0xC0 | code >> 6);
        add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        add(0xE0 | code >> 12);
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    } else {
        add(0xF0 | code >> 18);
        add(0x80 | (code >> 12 & 0x3F));
        add(0x80 | (code >> 6 & 0x3F));
        add(0x80 | (code & 0x3F));
    }
}

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of the JSON number at the beginning, 0 if there is none; and whether it is a float.
inline std::size_t number_length(std::string_view text, bool& is_float) {
    std::size_t at = 0;
    const auto peek = [&] { return at < text.size() ? text[at] : '\0'; };
    const auto digits = [&] {
        const std::size_t from = at;
        while (is_digit(peek())) ++at;
        return at > from;
    };
    is_float = false;
    if (peek() == '-') ++at;
    if (peek() == '0') {
        ++at;
    } else if (!digits()) {
        return 0;
    }
    if (peek() == '.') {
        is_float = true;
        ++at;
        if (!digits()) return 0;
    }
    if (peek() == 'e' || peek() == 'E') {
        is_float = true;
        ++at;
        if (peek() == '+' || peek() == '-') ++at;
        if (!digits()) return 0;
    }
    return at;
}

// The double nearest to a JSON number. strtod uses the locale's decimal point.
inline double nearest(std::string text) {
    const std::size_t point = text.find('.');
    if (point != std::string::npos) text.replace(point, 1, std::localeconv()->decimal_point);
    return std::strtod(text.c_str(), nullptr);
}

// The value of a whole JSON number; none for a float beyond the double range.
inline std::optional<Value> spelled_number(std::string text, bool is_float) {
    if (!is_float) return Value(Int(std::move(text)));
    const double read = nearest(std::move(text));
    if (std::isinf(read)) return std::nullopt;
    return Value(read);
}

class Reader {
public:
    explicit Reader(std::string_view line) : text(line) {}

    Value document() {
        Value read = value(1);
        space();
        if (at < text.size()) refuse("something after the value");
        return read;
    }

private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw BadJson(what + ", at byte " + std::to_string(at));
    }

    char peek() const { return at < text.size() ? text[at] : '\0'; }

    void space() {
        while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at;
    }

    bool take(char c) {
        space();
        if (peek() != c) return false;
        ++at;
        return true;
    }

    bool take_word(std::string_view word) {
        if (text.substr(at, word.size()) != word) return false;
        at += word.size();
        return true;
    }

    Value value(int depth) {
        space();
        if (at == text.size()) refuse("the end where a value is expected");
        switch (text[at]) {
            case '{': return object(depth);
            case '[': return list(depth);
            case '"': return string();
            case 't': if (take_word("true")) return true; break;
            case 'f': if (take_word("false")) return false; break;
            case 'n': if (take_word("null")) return nullptr; break;
            default: return number();
        }
        refuse("no JSON");
    }

    Value number() {
        bool is_float = false;
        const std::size_t length = number_length(text.substr(at), is_float);
        if (length == 0) refuse("no JSON");
        std::optional<Value> read = spelled_number(std::string(text.substr(at, length)), is_float);
        if (!read) refuse("a float beyond the doubles");
        at += length;
        return std::move(*read);
    }

    void enter(int depth) {
        if (depth > max_depth) refuse("more than " + std::to_string(max_depth) + " levels");
        ++at;
    }

    Value list(int depth) {
        List items;
        enter(depth);
        if (take(']')) return items;
        do {
            items.push_back(value(depth + 1));
        } while (take(','));
        if (!take(']')) refuse("no comma and no end of a list");
        return items;
    }

    Value object(int depth) {
        Object members;
        enter(depth);
        if (take('}')) return members;
        do {
            space();
            if (peek() != '"') refuse("no string where a key is expected");
            const std::size_t begin = at;
            Text key = string();
            if (!take(':')) refuse("no colon after a key");
            if (members.contains(key)) {
                at = begin;
                refuse("a key for the second time");
            }
            Value member = value(depth + 1);
            members.put(std::move(key), std::move(member));
        } while (take(','));
        if (!take('}')) refuse("no comma and no end of an object");
        return members;
    }

    Text string() {
        Text read;
        ++at;
        while (true) {
            const std::size_t begin = at;
            while (at < text.size() && text[at] != '"' && text[at] != '\\') {
                if (static_cast<unsigned char>(text[at]) < 0x20) refuse("a control in a string");
                const std::size_t length = character_length(text.substr(at));
                if (length == 0) refuse("bytes that are no UTF-8");
                at += length;
            }
            read.append(text, begin, at - begin);
            if (at == text.size()) refuse("a string without an end");
            if (text[at++] == '"') return read;
            escape(read);
        }
    }

    void escape(Text& to) {
        static constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        const char name = peek();
        const std::size_t known = at < text.size() ? names.find(name) : std::string_view::npos;
        if (known != std::string_view::npos) {
            ++at;
            to += meant[known];
            return;
        }
        if (name != 'u') refuse("no escape of JSON");
        ++at;
        std::uint32_t code = four_digits();
        if (code >= 0xD800 && code < 0xDC00 && take_word("\\u")) {
            const std::uint32_t low = four_digits();
            if (low < 0xDC00 || low > 0xDFFF) refuse("a lone surrogate");
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        if (code >= 0xD800 && code <= 0xDFFF) refuse("a lone surrogate");
        append_utf8(to, code);
    }

    std::uint32_t four_digits() {
        std::uint32_t code = 0;
        for (int i = 0; i < 4; ++i, ++at) {
            const char c = peek();
            if (!std::isxdigit(static_cast<unsigned char>(c))) refuse("no escape of JSON");
            const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
            code = code * 16 + static_cast<std::uint32_t>(digit);
        }
        return code;
    }

    std::string_view text;
    std::size_t at = 0;
};

// The next decimal with the same number of digits: "-1.99e-05" becomes "-2.00e-05".
inline std::string next_decimal(std::string decimal) {
    std::size_t at = decimal.find('e');
    while (at-- > 0) {
        if (!is_digit(decimal[at])) continue;
        if (decimal[at] != '9') {
            ++decimal[at];
            break;
        }
        decimal[at] = '0';
    }
    return decimal;
}

// "1.25e-05": the nearest of the decimals with the fewest digits that read back as the double. The
// point is the locale's, as for strtod.
inline std::string shortest(double number) {
    int exponent = 0;
    const bool power_of_two = std::fabs(std::frexp(number, &exponent)) == 0.5;
    const bool normal = std::fabs(number) >= std::numeric_limits<double>::min();
    // A double with 15 digits or fewer has these, and then zeros, in its first 15.
    for (int digits = normal ? 15 : 1;; ++digits) {
        char decimal[32];
        std::snprintf(decimal, sizeof decimal, "%.*e", digits - 1, number);
        if (std::strtod(decimal, nullptr) == number || digits == 17) return decimal;
        // Doubles are denser below a power of two than above it: the second nearest may be right.
        if (power_of_two) {
            std::string next = next_decimal(decimal);
            if (std::strtod(next.c_str(), nullptr) == number) return next;
        }
    }
}

}  // namespace detail

// Writes a double as Python's repr does: 1.0, 1e+16, 0.0001, 1e-05, -0.0; NaN, Infinity, -Infinity.
inline std::string spell(double number) {
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    const std::string sign = std::signbit(number) ? "-" : "";
    if (number == 0) return sign + "0.0";
    const std::string decimal = detail::shortest(std::fabs(number));
    const std::size_t e = decimal.find('e');
    const int exponent = std::atoi(decimal.c_str() + e + 1);
    std::string digits;
    for (const char c : decimal.substr(0, e)) {
        if (detail::is_digit(c)) digits += c;
    }
    digits.erase(digits.find_last_not_of('0') + 1);
    if (exponent < -4 || exponent >= 16) {
        if (digits.size() > 1) digits.insert(1, ".");
        return sign + digits + decimal.substr(e);
    }
    if (exponent < 0) {
        const auto zeros = static_cast<std::size_t>(-exponent - 1);
        return sign + "0." + std::string(zeros, '0') + digits;
    }
    const auto whole = static_cast<std::size_t>(exponent) + 1;
    if (whole >= digits.size()) return sign + digits.append(whole - digits.size(), '0') + ".0";
    return sign + digits.insert(whole, ".");
}

// The value of a JSON text. Throws BadJson, which says what is wrong with it.
inline Value parse(std::string_view text) { return detail::Reader(text).document(); }

namespace detail {

inline void write(std::string& to, const Text& text) {
    static constexpr char hex[] = "0123456789abcdef";
    if (!well_formed(text)) unsupported("a text of the answer is not UTF-8");
    to += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            to += '\\';
            to += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            to += "\\u00";
            to += hex[byte >> 4];
            to += hex[byte & 15];
        } else {
            to += c;
        }
    }
    to += '"';
}

inline void write(std::string& to, const Value& value);

inline void write(std::string& to, const Object& object) {
    char before = '{';
    for (const auto& [key, value] : object) {
        to += before;
        write(to, key);
        to += ':';
        write(to, value);
        before = ',';
    }
    to += object.empty() ? "{}" : "}";
}

inline void write(std::string& to, const Value& value) {
    if (value.is_null()) {
        to += "null";
    } else if (value.is<bool>()) {
        to += value.boolean() ? "true" : "false";
    } else if (const Int* whole = std::get_if<Int>(&value.any)) {
        to += whole->digits();
    } else if (const double* real = std::get_if<double>(&value.any)) {
        to += std::isfinite(*real) ? spell(*real) : '"' + spell(*real) + '"';
    } else if (value.is<Text>()) {
        write(to, value.text());
    } else if (value.is<List>()) {
        char before = '[';
        for (const Value& item : value.list()) {
            to += before;
            write(to, item);
            before = ',';
        }
        to += value.list().empty() ? "[]" : "]";
    } else {
        write(to, value.object());
    }
}

}  // namespace detail

// JSON on one line, in UTF-8. NaN and the infinities are written as the protocol's strings. A text
// that is not UTF-8, such as one with half a surrogate pair, makes the answer unsupported.
inline std::string to_json(const Value& value) {
    std::string text;
    detail::write(text, value);
    return text;
}

// ------------------------------------------------------------------------------------------------
// Numbers

namespace detail {

inline std::string& spec() {
    static std::string named;
    return named;
}

inline bool is_number(const Value& value) { return value.is<Int>() || value.is<double>(); }

}  // namespace detail

// A number of an input, as an Int or a double. It may be a JSON number, one of the strings NaN,
// Infinity and -Infinity, or another string that spells a number. With `Numbers::strings` all
// numbers are strings; otherwise only those whose spelling matters, such as "1E5".
inline Value number(const Value& value) {
    if (detail::is_number(value)) return value;
    if (const Text* text = std::get_if<Text>(&value.any)) {
        if (*text == "NaN") return std::numeric_limits<double>::quiet_NaN();
        if (*text == "Infinity") return std::numeric_limits<double>::infinity();
        if (*text == "-Infinity") return -std::numeric_limits<double>::infinity();
        bool is_float = false;
        if (!text->empty() && detail::number_length(*text, is_float) == text->size()) {
            if (auto read = detail::spelled_number(*text, is_float)) return std::move(*read);
        }
    }
    bad_input(std::string("a number is expected, not ") + value.kind());
}

// The nearest double, to even in a tie; OverflowError for an int beyond the double range.
inline double to_double(const Value& value) {
    const Value read = number(value);
    if (const double* already = std::get_if<double>(&read.any)) return *already;
    const double real = detail::nearest(std::get<Int>(read.any).digits());
    if (std::isinf(real)) fail("OverflowError", "int too large to convert to float");
    return real;
}

inline std::int64_t Value::integer() const {
    const Value read = number(*this);
    const Int* from = std::get_if<Int>(&read.any);
    if (from == nullptr || from->digits().size() > 20) bad_input("an int of 64 bits is expected");
    const long long small = std::strtoll(from->digits().c_str(), nullptr, 10);
    if (std::to_string(small) != from->digits()) bad_input("an int of 64 bits is expected");
    return small;
}

// The rewards of an input, as numbers; no object if they are null.
inline std::optional<Object> rewards(const Value& value) {
    if (value.is_null()) return std::nullopt;
    Object read;
    for (const auto& [key, reward] : value.object()) read.put(key, number(reward));
    return read;
}

// The string that spells a number; with `Numbers::strings`, answers may contain it.
inline Value spelled(const Value& number) {
    const Value read = protocol::number(number);
    if (const Int* from = std::get_if<Int>(&read.any)) return from->digits();
    return spell(std::get<double>(read.any));
}

// A string of your program in a place where a number is expected: `{"string":"5.0"}` equals none.
inline Value marked(Text text) { return Object{{"string", std::move(text)}}; }

// ------------------------------------------------------------------------------------------------
// File content

namespace detail {

inline constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

inline std::string from_base64(std::string_view text) {
    std::string bytes;
    const std::size_t end = text.find_last_not_of('=') + 1;  // 0 if there is none
    if (text.size() % 4 != 0 || text.size() - end > 2) bad_input("content that is no base64");
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text.substr(0, end)) {
        const std::size_t digit = base64_digits.find(c);
        if (digit == std::string_view::npos) bad_input("content that is no base64");
        bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xFFFFFF;
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 0xFF);
        }
    }
    return bytes;
}

inline std::string to_base64(std::string_view bytes) {
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t bits = 0;
        for (std::size_t i = at; i < at + 3; ++i) {
            bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            const bool there = at + i <= bytes.size();
            text += there ? base64_digits[bits >> (18 - 6 * i) & 63] : '=';
        }
    }
    return text;
}

}  // namespace detail

// The bytes of a file's content, `{"text":…}` or `{"base64":…}`.
inline std::string bytes(const Value& content) {
    const Object& object = content.object();
    if (object.size() == 1 && object.contains("text")) return object.at("text").text();
    if (object.size() == 1 && object.contains("base64")) {
        return detail::from_base64(object.at("base64").text());
    }
    bad_input("a file's content has text or base64");
}

// The protocol's form of a file: text if the bytes are well-formed UTF-8, otherwise base64.
inline Value content(std::string bytes) {
    if (detail::well_formed(bytes)) return Object{{"text", std::move(bytes)}};
    return Object{{"base64", detail::to_base64(bytes)}};
}

// ------------------------------------------------------------------------------------------------
// The loop

// Takes a request's input and returns the reply's `ok`.
using Operation = std::function<Object(const Object&)>;

// Names and operations; nullptr for an operation that you have not written yet.
using Operations = std::vector<std::pair<std::string, Operation>>;

// How numbers of inputs arrive: `strings` for numbers spelled as strings.
enum class Numbers { native, strings };

// The spec that hello named, such as "harbor-0.13.1".
inline const std::string& spec() { return detail::spec(); }

namespace detail {

struct Server {
    std::string name, version;
    Operations operations;
    Numbers numbers;

    static Value reason_code(const std::string& type) {
        static const std::pair<const char*, const char*> table[] = {
            {"RewardFileNotFoundError", "harbor_reward_missing"},
            {"RewardFileEmptyError", "harbor_reward_empty"},
            {"VerifierOutputParseError", "harbor_reward_parse_error"},
        };
        for (const auto& [known, code] : table) {
            if (type == known) return code;
        }
        return nullptr;  // ValidationError, RecursionError, OverflowError, … and all others
    }

    static Object error(const Failure& failure) {
        Object reply{{"type", failure.type}, {"reason_code", reason_code(failure.type)}};
        if (failure.message) reply.put("message", *failure.message);
        return Object{{"error", reply}};
    }

    // The text of an exception, whatever its bytes are.
    static std::string printable(std::string text) {
        if (well_formed(text)) return text;
        for (char& c : text) {
            if (static_cast<unsigned char>(c) >= 0x80) c = '?';
        }
        return text;
    }

    static std::string name_of(const std::exception& exception) {
        const char* const mangled = typeid(exception).name();
        std::string readable = mangled;
#if defined(__GNUG__)
        int status = 0;
        if (char* const found = abi::__cxa_demangle(mangled, nullptr, nullptr, &status)) {
            readable = found;
            std::free(found);
        }
#endif
        return readable;
    }

    // An unexpected exception: an error with its name, and a line for people.
    Failure unexpected(const std::string& op, std::string type, const char* what) const {
        Failure failure{printable(std::move(type)), printable(what)};
        std::cerr << name << ": " << op << ": " << failure.type << ": " << what << std::endl;
        return failure;
    }

    Object hello(const Object& request) const {
        const Value* version_asked = request.find("protocol");
        const Value* asked = request.find("spec");
        const auto is_one = [](const Value& value) {
            return value.is<Int>() && std::get<Int>(value.any).digits() == "1";
        };
        if (version_asked == nullptr || !is_one(*version_asked)) {
            fail("ProtocolError", "protocol 1 is the one spoken here");
        }
        if (asked == nullptr || !asked->is<Text>()) {
            fail("ProtocolError", "hello names no spec");
        }
        detail::spec() = asked->text();
        List ops;
        for (const auto& [op, operation] : operations) {
            if (operation) ops.push_back(op);
        }
        Object ok{{"runner", name}, {"version", version}, {"protocol", 1}, {"ops", ops}};
        if (numbers == Numbers::strings) ok.put("numbers", "string");
        return ok;
    }

    Object answer(const std::string& op, const Object& request) const {
        if (op == "hello") return hello(request);
        for (const auto& [known, operation] : operations) {
            if (known != op) continue;
            if (!operation) unsupported(name + " has no " + op + " yet");
            const Value* const input = request.find("input");
            if (input == nullptr || !input->is<Object>()) {
                fail("ProtocolError", "input is no object");
            }
            return operation(input->object());
        }
        unsupported(name + " has no " + op);
    }

    // The reply to one line, without the line feed.
    std::string reply(std::string_view line) const {
        Value id;
        const auto written = [&](const Object& rest) {
            std::string text = "{\"id\":" + to_json(id) + ",";
            return text.append(to_json(rest), 1);
        };
        std::string op = "a message";
        try {
            try {
                const Value message = parse(line);
                if (!message.is<Object>()) fail("ProtocolError", "a message is an object");
                const Object& request = message.object();
                const Value* const id_sent = request.find("id");
                if (id_sent == nullptr || !id_sent->is<Int>()) {
                    fail("ProtocolError", "a message has an int as its id");
                }
                id = *id_sent;
                const Value* const op_sent = request.find("op");
                if (op_sent == nullptr || !op_sent->is<Text>()) {
                    fail("ProtocolError", "op is no string");
                }
                op = op_sent->text();
                return written(Object{{"ok", answer(op, request)}});
            } catch (const BadJson& problem) {
                fail("ProtocolError", problem.what());
            }
        } catch (const Failure& failure) {
            return written(error(
                {printable(failure.type),
                 failure.message ? std::optional(printable(*failure.message)) : std::nullopt}));
        } catch (const Unsupported& reply) {
            return written(Object{{"unsupported", printable(reply.why)}});
        } catch (const std::exception& exception) {
            return written(error(unexpected(op, name_of(exception), exception.what())));
        } catch (...) {
            return written(error(unexpected(op, "UnknownException", "it is no std::exception")));
        }
    }
};

// Reserves standard output for replies. What the program prints from now on goes to standard error.
inline std::FILE* take_output() {
    std::fflush(stdout);
    std::cout.flush();
#if defined(__unix__) || defined(__APPLE__)
    const int own = dup(STDOUT_FILENO);
    std::FILE* const replies = own < 0 ? nullptr : fdopen(own, "w");
    if (replies != nullptr && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0) return replies;
#endif
    std::cout.rdbuf(std::cerr.rdbuf());
    return stdout;
}

}  // namespace detail

// Answers requests until the input ends. Return its result from main.
inline int serve(std::string name, std::string version, Operations operations,
                 Numbers numbers = Numbers::native) {
    const detail::Server server{
        std::move(name), std::move(version), std::move(operations), numbers};
    std::ios::sync_with_stdio(false);
    std::FILE* const replies = detail::take_output();
    for (std::string line; std::getline(std::cin, line);) {
        const std::string reply = server.reply(line) + "\n";
        if (std::fwrite(reply.data(), 1, reply.size(), replies) != reply.size() ||
            std::fflush(replies) != 0) {
            return 1;  // the reader is gone
        }
    }
    return 0;
}

}  // namespace protocol

#endif
