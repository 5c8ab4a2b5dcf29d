//! Applies patches to values in which scalars stay as they are spelled.

use std::fmt;

use crate::domain::json::{Document, Kind, Node};

/// A value; keys are the characters that they decode to, with the spelling beside.
#[derive(Debug, Clone)]
pub enum Value {
    Scalar(String),
    Array(Vec<Value>),
    Object(Vec<(Vec<u8>, String, Value)>),
}

impl Value {
    pub fn of(node: Node<'_>) -> Self {
        match node.kind() {
            Kind::Array => Self::Array(node.children().map(Self::of).collect()),
            Kind::Object => {
                let member = |member: Node<'_>| {
                    let key = member.key().unwrap();
                    (
                        key.wtf8().into_owned(),
                        key.raw().to_owned(),
                        Self::of(member),
                    )
                };
                Self::Object(node.effective_members().map(member).collect())
            }
            _ => Self::Scalar(node.raw().to_owned()),
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Self::Scalar(raw) if raw == "null")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Scalar(raw) => f.write_str(raw),
            Self::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(ToString::to_string).collect();
                write!(f, "[{}]", elements.join(","))
            }
            Self::Object(members) => {
                let member = |(_, key, value): &(_, String, _)| format!("\"{key}\":{value}");
                let members: Vec<String> = members.iter().map(member).collect();
                write!(f, "{{{}}}", members.join(","))
            }
        }
    }
}

/// Applies the operations of a JSON Patch in their order (RFC 6902, section 4); what does not apply fails the test.
pub fn json_patch(target: Value, patch: &Document) -> Value {
    patch.root().children().fold(target, |target, operation| {
        let text = |key: &str| operation.get(key).unwrap().as_str().unwrap();
        let place = text("path").wtf8().into_owned();
        let spelled = text("path").raw().to_owned();
        let value = operation.get("value").map(Value::of);
        operate(target, text("op").raw(), &place, &spelled, value)
    })
}

fn operate(mut target: Value, op: &str, path: &[u8], spelled: &str, value: Option<Value>) -> Value {
    let Some(steps) = path.strip_prefix(b"/") else {
        assert!(path.is_empty() && op == "replace");
        return value.unwrap();
    };
    let mut steps: Vec<Vec<u8>> = steps.split(|byte| *byte == b'/').map(unescape).collect();
    let last = steps.pop().unwrap();
    let spelled = spelled.rsplit_once('/').unwrap().1;
    let spelled = spelled.replace("~1", "/").replace("~0", "~");
    let holder = steps.iter().fold(&mut target, |value, step| match value {
        Value::Array(elements) => &mut elements[index(step)],
        Value::Object(members) => {
            let found = members.iter_mut().find(|(key, ..)| key == step);
            &mut found.unwrap().2
        }
        Value::Scalar(raw) => panic!("there is nothing in {raw}"),
    });
    match holder {
        Value::Array(elements) => match op {
            "add" => elements.insert(index(&last), value.unwrap()),
            "remove" => drop(elements.remove(index(&last))),
            "replace" => elements[index(&last)] = value.unwrap(),
            other => panic!("there is no operation {other}"),
        },
        Value::Object(members) => {
            let place = members.iter().position(|(key, ..)| *key == last);
            match op {
                "add" => {
                    assert_eq!(place, None, "nothing is added over another");
                    members.push((last, spelled, value.unwrap()));
                }
                "remove" => drop(members.remove(place.unwrap())),
                "replace" => members[place.unwrap()].2 = value.unwrap(),
                other => panic!("there is no operation {other}"),
            }
        }
        Value::Scalar(raw) => panic!("there is nothing in {raw}"),
    }
    target
}

fn index(step: &[u8]) -> usize {
    let step = std::str::from_utf8(step).unwrap();
    let index: usize = step.parse().unwrap();
    assert_eq!(index.to_string(), step);
    index
}

fn unescape(step: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    let mut bytes = step.iter();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'~' => match bytes.next() {
                Some(b'0') => b'~',
                Some(b'1') => b'/',
                other => panic!("~ before {other:?}"),
            },
            byte => *byte,
        });
    }
    out
}

/// Merges a patch into a target, word by word as RFC 7396, section 2 says it.
pub fn merge_patch(target: Value, patch: &Value) -> Value {
    let Value::Object(patch) = patch else {
        return patch.clone();
    };
    let Value::Object(mut members) = (match target {
        Value::Object(members) => Value::Object(members),
        _ => Value::Object(vec![]),
    }) else {
        unreachable!("it was made an object");
    };
    for (key, spelled, value) in patch {
        let place = members.iter().position(|(other, ..)| other == key);
        if value.is_null() {
            place.map(|place| members.remove(place));
            continue;
        }
        let old = place.map_or(Value::Scalar("null".to_owned()), |place| {
            members[place].2.clone()
        });
        let new = merge_patch(old, value);
        match place {
            Some(place) => members[place].2 = new,
            None => members.push((key.clone(), spelled.clone(), new)),
        }
    }
    Value::Object(members)
}
