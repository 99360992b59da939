//! The loop of `protocol::serve`, for two answers that Rust's strings cannot hold: lone surrogates
//! stand in replies as escapes, so these operations write their JSON themselves.

use std::io::{self, BufRead, BufReader, Write};
use std::panic::catch_unwind;

use crate::protocol::{
    fail_with, parse, take_output, to_json, unsupported, Answer, Object, Problem, Value,
};

/// What answers the inputs of an operation: with an object, or with the JSON text of one.
#[derive(Clone, Copy)]
pub enum Operation {
    Object(fn(&Object) -> Answer),
    Json(fn(&Object) -> Result<String, Problem>),
}

/// Answers requests until there are no more. Each reply goes out at once, whatever is waiting: the
/// next request may take long, or end the process.
pub fn serve(operations: &[(&str, Operation)]) -> io::Result<()> {
    let mut output = take_output()?;
    let mut requests = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut line = Vec::new();
    while requests.read_until(b'\n', &mut line)? > 0 {
        let (id, answer) = match request(&line) {
            Ok((id, request)) => (id, answer(&request, operations)),
            Err(problem) => (Value::Null, Err(problem)),
        };
        let (kind, body) = match answer {
            Ok(ok) => ("ok", ok),
            Err(problem) => written(problem),
        };
        let reply = format!("{{\"id\":{},\"{kind}\":{body}}}\n", to_json(&id));
        output.write_all(reply.as_bytes())?;
        output.flush()?;
        line.clear();
    }
    Ok(())
}

/// The request of a line, and its id.
fn request(line: &[u8]) -> Result<(Value, Object), Problem> {
    match parse(line).map_err(protocol_error)? {
        Value::Object(request) => match request.get("id") {
            Some(id @ Value::Int(_)) => Ok((id.clone(), request)),
            _ => Err(protocol_error("a request has an int as id")),
        },
        _ => Err(protocol_error("a request is an object")),
    }
}

fn answer(request: &Object, operations: &[(&str, Operation)]) -> Result<String, Problem> {
    let op = request
        .text("op")
        .or(Err(protocol_error("op is no string")))?;
    if op == "hello" {
        return hello(request, operations);
    }
    let named = operations.iter().find(|(name, _)| *name == op);
    let (_, operation) = *named.ok_or_else(|| unsupported(format!("complete has no {op}")))?;
    let Some(Value::Object(input)) = request.get("input") else {
        return Err(protocol_error("input is no object"));
    };
    // No input makes an operation panic; if one did, the runner would go on.
    let answered = catch_unwind(|| match operation {
        Operation::Object(of) => of(input).map(|object| to_json(&object.into())),
        Operation::Json(of) => of(input),
    });
    answered.unwrap_or_else(|_| Err(fail_with("panic", "standard error says more")))
}

fn hello(request: &Object, operations: &[(&str, Operation)]) -> Result<String, Problem> {
    if request.get("protocol") != Some(&Value::from(1)) {
        return Err(protocol_error("this runner speaks protocol 1"));
    }
    let ops: Vec<&str> = operations.iter().map(|(name, _)| *name).collect();
    let hello = Object::new()
        .with("runner", "complete")
        .with("version", env!("CARGO_PKG_VERSION"))
        .with("protocol", 1)
        .with("ops", ops);
    Ok(to_json(&hello.into()))
}

fn protocol_error(message: impl Into<String>) -> Problem {
    fail_with("ProtocolError", message)
}

/// What stands in a reply in place of `ok`.
fn written(problem: Problem) -> (&'static str, String) {
    match problem {
        Problem::Unsupported(why) => ("unsupported", to_json(&why.into())),
        Problem::Error {
            kind,
            reason_code,
            message,
        } => {
            let mut error = Object::new()
                .with("type", kind)
                .with("reason_code", reason_code);
            if let Some(message) = message {
                error.put("message", message);
            }
            ("error", to_json(&error.into()))
        }
    }
}
