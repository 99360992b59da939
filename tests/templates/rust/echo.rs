//! Test operations that hold the protocol file to the protocol (see ../test_echo.py).

mod protocol;

use protocol::{
    bytes, content, fail, fail_with, number, rewards, serve, serve_string_numbers, spec, spelled,
    text, unsupported, Answer, Number, Object, Operation, Value,
};

fn echo(input: &Object) -> Answer {
    Ok(Object::new().with("value", input.member("value")?.clone()))
}

fn read_number(input: &Object) -> Answer {
    let number = number(input.member("value")?)?;
    let kind = match number {
        Number::Int(_) => "int",
        Number::Float(_) => "float",
    };
    Ok(Object::new()
        .with("kind", kind)
        .with("value", number.clone())
        .with("spelled", spelled(&number))
        .with("double", number.to_double()?))
}

fn read_text(input: &Object) -> Answer {
    let value = input.text("value")?;
    Ok(Object::new()
        .with(
            "code_points",
            value.chars().map(u32::from).collect::<Vec<_>>(),
        )
        .with("marked", text(value)))
}

fn read_rewards(input: &Object) -> Answer {
    let rewards = rewards(input.member("rewards")?)?;
    Ok(Object::new().with("rewards", rewards.map(Object::from_iter)))
}

fn read_content(input: &Object) -> Answer {
    let mut file = bytes(input.member("file")?)?;
    let answer = Object::new()
        .with(
            "hex",
            file.iter()
                .map(|byte| format!("{byte:02x}"))
                .collect::<String>(),
        )
        .with("file", content(&file));
    file.reverse();
    Ok(answer.with("reversed", content(&file)))
}

fn put(input: &Object) -> Answer {
    let mut object = Object::new();
    for pair in input.list("pairs")? {
        let pair = pair.as_list()?;
        object.put(pair[0].as_text()?, pair[1].clone());
    }
    Ok(Object::new().with("object", object))
}

fn not_finite(_: &Object) -> Answer {
    Ok(Object::new()
        .with("nan", f64::NAN)
        .with("list", vec![f64::INFINITY, f64::NEG_INFINITY])
        .with("zero", -0.0))
}

fn failing(input: &Object) -> Answer {
    let kind = input.text("type")?;
    Err(match input.optional_text("message")? {
        Some(message) => fail_with(kind, message),
        None => fail(kind),
    })
}

fn unsupporting(input: &Object) -> Answer {
    Err(unsupported(input.text("why")?))
}

fn unexpected(input: &Object) -> Answer {
    let items: Vec<Value> = Vec::new();
    Ok(Object::new().with("value", items[input.len()].clone()))
}

fn named_spec(_: &Object) -> Answer {
    Ok(Object::new().with("spec", spec()))
}

fn print(_: &Object) -> Answer {
    eprintln!("a line of the author");
    println!("and one that is not for standard output");
    print!("the start of a line");
    Ok(Object::new())
}

fn leave(_: &Object) -> Answer {
    std::process::exit(3)
}

fn main() {
    let operations: &[(&str, Option<Operation>)] = &[
        ("echo", Some(echo)),
        ("number", Some(read_number)),
        ("text", Some(read_text)),
        ("rewards", Some(read_rewards)),
        ("content", Some(read_content)),
        ("put", Some(put)),
        ("not_finite", Some(not_finite)),
        ("fail", Some(failing)),
        ("unsupported", Some(unsupporting)),
        ("unexpected", Some(unexpected)),
        ("spec", Some(named_spec)),
        ("stub", None),
        ("print", Some(print)),
        ("leave", Some(leave)),
    ];
    if std::env::args().any(|argument| argument == "--strings") {
        serve_string_numbers("echo", "1", operations);
    } else {
        serve("echo", "1", operations);
    }
}
