// The echo runner: operations that show all of protocol.hpp. With --strings numbers are strings.

#include <algorithm>

#include "protocol.hpp"

using namespace protocol;

static Object echo_number(const Object& input) {
    const Value read = number(input.at("value"));
    return {{"kind", read.is<Int>() ? "int" : "float"},
            {"value", read},
            {"spelled", spelled(read)},
            {"double", to_double(read)}};
}

static Object echo_text(const Object& input) {
    const Text& text = input.at("value").text();
    List code_points;
    for (std::size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at++]);
        const int more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        std::uint32_t code = more == 0 ? first : first & (0x3Fu >> more);
        for (int i = 0; i < more; ++i) {
            code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
        }
        code_points.push_back(code);
    }
    return {{"code_points", code_points}, {"marked", marked(text)}};
}

static Object echo_rewards(const Object& input) {
    const std::optional<Object> read = rewards(input.at("rewards"));
    return {{"rewards", read ? Value(*read) : Value()}};
}

static Object echo_content(const Object& input) {
    const std::string read = bytes(input.at("file"));
    std::string hex;
    for (const char c : read) {
        const auto byte = static_cast<unsigned char>(c);
        hex += "0123456789abcdef"[byte >> 4];
        hex += "0123456789abcdef"[byte & 15];
    }
    return {{"hex", hex},
            {"file", content(read)},
            {"reversed", content(std::string(read.rbegin(), read.rend()))}};
}

static Object echo_put(const Object& input) {
    Object object;
    for (const Value& pair : input.at("pairs").list()) {
        object.put(pair.list().at(0).text(), pair.list().at(1));
    }
    return {{"object", object}};
}

static Object echo_not_finite(const Object&) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {{"nan", std::nan("")}, {"list", List{infinity, -infinity}}, {"zero", -0.0}};
}

static Object echo_fail(const Object& input) {
    const Text& type = input.at("type").text();
    if (const Value* message = input.find("message")) fail(type, message->text());
    fail(type);
}

int main(int count, char** arguments) {
    const bool strings = count > 1 && Text(arguments[1]) == "--strings";
    return serve("echo", "1", {
        {"echo", [](const Object& input) -> Object { return {{"value", input.at("value")}}; }},
        {"number", echo_number},
        {"text", echo_text},
        {"rewards", echo_rewards},
        {"content", echo_content},
        {"put", echo_put},
        {"not_finite", echo_not_finite},
        {"fail", echo_fail},
        {"unsupported", [](const Object& input) -> Object { unsupported(input.at("why").text()); }},
        {"unexpected", [](const Object&) -> Object { return {{"x", List().at(7)}}; }},
        {"spec", [](const Object&) -> Object { return {{"spec", spec()}}; }},
        {"stub", nullptr},
        {"print", [](const Object&) -> Object {
            std::cerr << "a line on standard error" << std::endl;
            std::cout << "a line on standard output" << std::endl;
            std::puts("and one of C");
            return {};
        }},
        {"leave", [](const Object&) -> Object { std::_Exit(3); }},
    }, strings ? Numbers::strings : Numbers::native);
}
