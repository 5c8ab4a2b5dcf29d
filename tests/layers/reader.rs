//! Reads Rust source as tokens and collects the paths that it names.

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    PathSeparator,
    Mark(char),
}

/// A path as it is written, and where.
#[derive(Debug)]
pub struct Named {
    pub segments: Vec<String>,
    pub line: usize,
    /// The inline modules around it, outermost first.
    pub inside: Vec<String>,
}

/// Splits Rust source into words and marks, each with its line, without comments and literals.
struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    tokens: Vec<(Token, usize)>,
}

impl<'a> Lexer<'a> {
    fn tokens(source: &'a str) -> Vec<(Token, usize)> {
        let mut lexer = Self {
            rest: source.chars().peekable(),
            line: 1,
            tokens: Vec::new(),
        };
        while let Some(next) = lexer.take() {
            lexer.token(next);
        }
        lexer.tokens
    }

    fn take(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    fn take_if(&mut self, wanted: char) -> bool {
        let found = self.rest.peek() == Some(&wanted);
        if found {
            self.take();
        }
        found
    }

    fn push(&mut self, token: Token) {
        self.tokens.push((token, self.line));
    }

    fn token(&mut self, first: char) {
        match first {
            '/' if self.take_if('/') => while self.take().is_some_and(|next| next != '\n') {},
            '/' if self.take_if('*') => self.block_comment(),
            '"' => self.string(),
            '\'' => self.quote(),
            ':' if self.take_if(':') => self.push(Token::PathSeparator),
            _ if first.is_alphanumeric() || first == '_' => self.word(first),
            _ if first.is_whitespace() => {}
            mark => self.push(Token::Mark(mark)),
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 1;
        while depth > 0 {
            match self.take() {
                Some('*') if self.take_if('/') => depth -= 1,
                Some('/') if self.take_if('*') => depth += 1,
                Some(_) => {}
                None => return,
            }
        }
    }

    fn string(&mut self) {
        while let Some(next) = self.take() {
            match next {
                '\\' => {
                    self.take();
                }
                '"' => return,
                _ => {}
            }
        }
    }

    /// Passes over a raw string, whose opening `r` and marks were taken, to the quote with as many marks after it.
    fn raw_string(&mut self, marks: usize) {
        while let Some(next) = self.take() {
            if next == '"' && (0..marks).all(|_| self.take_if('#')) {
                return;
            }
        }
    }

    /// Passes over a character literal or a lifetime.
    fn quote(&mut self) {
        let first = self.take();
        if first == Some('\\') {
            self.take();
            while self.take().is_some_and(|next| next != '\'') {}
        } else if !self.take_if('\'') {
            while self
                .rest
                .peek()
                .is_some_and(|next| next.is_alphanumeric() || *next == '_')
            {
                self.take();
            }
        }
    }

    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(next) = self
            .rest
            .next_if(|next| next.is_alphanumeric() || *next == '_')
        {
            word.push(next);
        }
        if matches!(word.as_str(), "r" | "br" | "cr") {
            let mut marks = 0;
            while self.take_if('#') {
                marks += 1;
            }
            if self.take_if('"') {
                return self.raw_string(marks);
            }
            if marks > 0 {
                return; // `r#name`: the name follows as the next word
            }
        }
        self.push(Token::Word(word));
    }
}

/// Collects the paths of one source file.
pub struct Reader {
    tokens: Vec<(Token, usize)>,
    at: usize,
    braces: usize,
    modules: Vec<(String, usize)>,
    found: Vec<Named>,
}

impl Reader {
    pub fn paths(source: &str) -> Vec<Named> {
        let tokens = Lexer::tokens(source);
        let mut reader = Self {
            tokens,
            at: 0,
            braces: 0,
            modules: Vec::new(),
            found: Vec::new(),
        };
        while reader.at < reader.tokens.len() {
            reader.step();
        }
        reader.found
    }

    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn before(&self, back: usize) -> Option<&Token> {
        self.at
            .checked_sub(back)
            .and_then(|at| self.tokens.get(at))
            .map(|(token, _)| token)
    }

    fn step(&mut self) {
        match self.peek(0) {
            Some(Token::Mark('{')) => self.braces += 1,
            Some(Token::Mark('}')) => {
                self.braces = self.braces.saturating_sub(1);
                while self
                    .modules
                    .last()
                    .is_some_and(|(_, depth)| *depth >= self.braces)
                {
                    self.modules.pop();
                }
            }
            Some(Token::Word(word)) => return self.step_word(&word.clone()),
            _ => {}
        }
        self.at += 1;
    }

    fn step_word(&mut self, word: &str) {
        let opens_module = word == "mod" && self.peek(2) == Some(&Token::Mark('{'));
        if opens_module && let Some(name) = self.word(1).map(String::from) {
            self.modules.push((name, self.braces));
            self.at += 2;
        } else if word == "use" {
            self.at += 1;
            self.tree(&[]);
        } else if word == "extern" && self.word(1) == Some("crate") {
            self.at += 2;
            self.tree(&[]);
        } else if self.starts_a_path() {
            self.tree(&[]);
        } else {
            self.at += 1;
        }
    }

    /// Tells whether the word here is the first of a path of several.
    fn starts_a_path(&self) -> bool {
        let continues = match self.before(1) {
            Some(Token::Mark('.')) => true,
            Some(Token::PathSeparator) => {
                matches!(self.before(2), Some(Token::Word(_) | Token::Mark('>')))
            }
            _ => false,
        };
        !continues && self.peek(1) == Some(&Token::PathSeparator)
    }

    /// Reads a path, or a tree of them as a `use` may have it.
    fn tree(&mut self, prefix: &[String]) {
        let mut segments = prefix.to_vec();
        let line = self.tokens.get(self.at).map_or(0, |(_, line)| *line);
        loop {
            match self.peek(0).cloned() {
                Some(Token::PathSeparator) => self.at += 1,
                Some(Token::Word(word))
                    if self.before(1) == Some(&Token::PathSeparator) || segments == prefix =>
                {
                    segments.push(word);
                    self.at += 1;
                }
                Some(Token::Mark('*')) => {
                    segments.push("*".into());
                    self.at += 1;
                    break;
                }
                Some(Token::Mark('{'))
                    if self.before(1) != Some(&Token::PathSeparator) && segments != prefix =>
                {
                    break;
                }
                Some(Token::Mark('{')) => return self.group(&segments),
                _ => break,
            }
        }
        let inside = self.modules.iter().map(|(name, _)| name.clone()).collect();
        self.found.push(Named {
            segments,
            line,
            inside,
        });
    }

    fn group(&mut self, prefix: &[String]) {
        self.at += 1;
        loop {
            match self.peek(0) {
                None => return,
                Some(Token::Mark('}')) => {
                    self.at += 1;
                    return;
                }
                Some(Token::Word(word)) if word == "as" => self.at += 2,
                Some(Token::Word(_) | Token::Mark('{' | '*') | Token::PathSeparator) => {
                    self.tree(prefix);
                }
                Some(Token::Mark(_)) => self.at += 1,
            }
        }
    }
}
