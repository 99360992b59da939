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

    /// The text as JSON in a reply: a lone surrogate as its escape.
    pub fn json(&self) -> String {
        let mut json = String::from("\"");
        for code in self.code_points() {
            match char::from_u32(code) {
                Some('"' | '\\' | '\0'..='\u{1f}') | None => {
                    json.push_str(&format!("\\u{code:04x}"));
                }
                Some(character) => json.push(character),
            }
        }
        json.push('"');
        json
    }

    /// The text with U+FFFD for each lone surrogate: neither is a letter, a digit or white space,
    /// and neither has case.
    pub fn with_stand_ins(&self) -> String {
        let stand_in = |code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        self.code_points().map(stand_in).collect()
    }

    /// Puts the lone surrogates back into what was made of the text with stand-ins, if that neither
    /// added nor dropped nor moved a U+FFFD.
    pub fn without_stand_ins(&self, made: &str) -> Text {
        let stand_in = u32::from(char::REPLACEMENT_CHARACTER);
        let is_meant = |code: &u32| *code == stand_in || char::from_u32(*code).is_none();
        let mut meant = self.code_points().filter(is_meant);
        let mut text = Text::default();
        for code in made.chars().map(u32::from) {
            let lone = if code == stand_in { meant.next() } else { None };
            text.push(lone.unwrap_or(code));
        }
        text
    }

    fn code_points(&self) -> impl Iterator<Item = u32> + '_ {
        let mut rest = self.0.as_slice();
        std::iter::from_fn(move || {
            // A first byte has as many leading ones as the character has bytes, or none.
            let first = *rest.first()?;
            let length = first.leading_ones().max(1) as usize;
            let (character, behind) = rest.split_at(length);
            rest = behind;
            let bits = u32::from(first) & (0xff >> first.leading_ones());
            Some(
                character[1..]
                    .iter()
                    .fold(bits, |bits, byte| bits << 6 | u32::from(byte & 0x3f)),
            )
        })
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
        assert_eq!(text.json(), "\"a\\ud800\"");
    }

    #[test]
    fn lone_surrogates_are_put_back() {
        let mut text = Text::from("\u{fffd}É\u{10ffff} ");
        text.push(0xdfff);
        assert_eq!(text.with_stand_ins(), "\u{fffd}É\u{10ffff} \u{fffd}");
        let lowered = text.without_stand_ins("\u{fffd}é\u{10ffff}_\u{fffd}");
        assert_eq!(lowered.json(), "\"\u{fffd}é\u{10ffff}_\\udfff\"");
    }
}
