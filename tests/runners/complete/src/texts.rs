//! Text as Python has it: code points, lone surrogates among them.

/// Text in UTF-8, but that a lone surrogate, which JSON can escape, stands in three bytes of its
/// own. Bytes compare as code points do, and equal bytes are equal characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Vec<u8>);

impl Text {
    pub fn push_str(&mut self, text: &str) {
        self.0.extend(text.as_bytes());
    }

    /// Adds a code point; those from U+D800 to U+DFFF are the lone surrogates.
    pub fn push(&mut self, code: u32) {
        match char::from_u32(code) {
            Some(character) => self.push_str(character.encode_utf8(&mut [0; 4])),
            None => self.0.extend([
                0xed,
                0x80 | (code >> 6 & 0x3f) as u8,
                0x80 | (code & 0x3f) as u8,
            ]),
        }
    }

    /// The text, unless it has a lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text as harbor writes it: a lone surrogate as three U+FFFD, one for each of its bytes
    /// (003-3.3-surrogates).
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.into())
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_surrogate_is_one_character_until_it_is_written() {
        let mut text = Text::from("a");
        text.push(0xd800);
        assert_eq!(text.as_str(), None);
        assert_eq!(text.written(), "a\u{fffd}\u{fffd}\u{fffd}");
        assert!(text < Text::from("a\u{e000}"));
    }
}
