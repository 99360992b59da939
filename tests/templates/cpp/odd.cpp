// Answers that are none, or nearly: an author's mistakes, and a program that has set a locale.

#include <locale>

#include "protocol.hpp"

using namespace protocol;

static Text half() { return "a\xED\xA0\x90"; }

static Object odd_number(const Object& input) {
    const Value read = number(input.at("value"));
    return {{"value", read}, {"double", to_double(read)}, {"spelled", spelled(read)}};
}

int main() {
    std::locale::global(std::locale(""));  // sets that of C, too
    return serve("odd", "1", {
        {"half_text", [](const Object&) -> Object { return {{"x", List{half()}}}; }},
        {"half_key", [](const Object&) -> Object { return {{"x", Object{{half(), 1}}}}; }},
        {"int", [](const Object& input) -> Object {
            return {{"int", Int(input.at("digits").text())}};
        }},
        {"number", odd_number},
        {"point", [](const Object&) -> Object {
            return {{"point", std::localeconv()->decimal_point}};
        }},
    });
}
